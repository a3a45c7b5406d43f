import { Type } from '../../src/schema/typebox.ts';
import { anyUserAccess } from '../../src/access/access.ts';
import { defineCommand, noContent } from '../../src/application/command.ts';
import { hasUsableToken } from '../../src/domain/one-time-codes.ts';
import { userDecider } from '../../src/domain/user.ts';
import { DomainError, invalidAt } from '../../src/errors/domain-error.ts';
import { parseAllowedPhoneNumber } from '../../src/domain/phone-number.ts';
import { object, text } from '../../src/schema/schema.ts';
import { requireLegacyFlowEnabled } from './one-time-code.ts';
import { sendPhoneChangeNotices, loadNoticeRecipients } from './phone-change-notice.ts';

/**
 * Updates the user's phone number (interface specification, 4.1): with a requestToken to the number that its code was
 * sent to, or with a multi-factor flow's token to the number in the body. Then tells the old number and the mail
 * address.
 */
export const updatePhoneNumber = defineCommand(userDecider)({
  name: 'updatePhoneNumber',
  summary: 'Update the phone number of the user',
  method: 'PATCH',
  path: '/users/phone',
  access: anyUserAccess,
  params: object({}),
  body: object({ phoneNumber: Type.Optional(text()), requestToken: Type.Optional(text(1_000)) }),
  takesMfaToken: true,
  async prepare({ principal: { id }, body: { phoneNumber, requestToken }, mfaToken }, context) {
    const { ports, now, load } = context;
    if ((phoneNumber === undefined) === (requestToken === undefined))
      throw invalidAt('body', 'must have either phoneNumber or requestToken');
    if (phoneNumber === undefined) {
      requireLegacyFlowEnabled(ports);
      const codeId = ports.secrets.codeIdOf(requestToken ?? '');
      const code = codeId === undefined ? undefined : (await load(userDecider, id)).state.codes.get(codeId);
      const recipients = code ? await loadNoticeRecipients(id, code.destination, context) : [];
      return { id, now, channel: 'sms', codeId, phoneNumber, recipients } as const;
    }
    if (!ports.mfaPhoneUpdate)
      throw invalidAt('body/phoneNumber', 'cannot be sent: the multi-factor flow is not enabled');
    const number = parseAllowedPhoneNumber(phoneNumber, 'body/phoneNumber');
    const codeId = ports.secrets.codeIdOf(mfaToken ?? '');
    const recipients = await loadNoticeRecipients(id, number, context);
    return { id, now, channel: 'mail', codeId, phoneNumber: number, recipients } as const;
  },
  decide({ codes }, { id: userId, channel, codeId, phoneNumber, now }) {
    const code = codeId === undefined ? undefined : codes.get(codeId);
    // One answer for an unknown, expired, used or another user's token: a client that guesses learns nothing.
    if (codeId === undefined || code?.channel !== channel || !hasUsableToken(code, now))
      throw new DomainError(
        'not-verified',
        channel === 'sms'
          ? 'body/requestToken is not valid, or no longer'
          : 'The header X-Service-MFA-Token must hold a valid token of a completed phone_update_flow',
      );
    return [{ type: 'PhoneNumberChanged', data: { userId, codeId, phoneNumber: phoneNumber ?? code.destination } }];
  },
  ...noContent,
  refusals: ['not-verified'],
  afterwards: ({ id, recipients }, context) => sendPhoneChangeNotices(id, recipients, context),
});
