import { Type } from 'typebox';
import { anyUser } from '../../src/access/access.ts';
import { defineCommand } from '../../src/command-handling/command.ts';
import { isTokenValid } from '../../src/domain/one-time-codes.ts';
import { user } from '../../src/domain/user.ts';
import { forbidden, invalid } from '../../src/errors/domain-error.ts';
import { toE164 } from '../../src/domain/phone-number.ts';
import { object, text } from '../../src/schema/schema.ts';

/**
 * Updates the user's phone number (interface specification, 4.1): with a requestToken to the number that its code was
 * sent to, or with a multi-factor flow's token to the number in the body.
 */
export const updatePhoneNumber = defineCommand(user)({
  name: 'updatePhoneNumber',
  summary: 'Update the phone number of the user',
  method: 'PATCH',
  path: '/users/phone',
  access: anyUser,
  params: object({}),
  body: object({ phoneNumber: Type.Optional(text()), requestToken: Type.Optional(text(1_000)) }),
  takesMfaToken: true,
  prepare({ principal, body: { phoneNumber, requestToken }, mfaToken }, { ports, now }) {
    if ((phoneNumber === undefined) === (requestToken === undefined))
      throw invalid('body must have either phoneNumber or requestToken');
    const common = { id: principal.id, now };
    if (phoneNumber === undefined)
      return {
        ...common,
        channel: 'sms',
        codeId: ports.secrets.codeIdOf(requestToken ?? ''),
        phoneNumber,
      } as const;
    if (!ports.mfaPhoneUpdate)
      throw invalid('body/phoneNumber cannot be sent: the multi-factor flow is not enabled');
    const number = toE164(phoneNumber, 'body/phoneNumber');
    return {
      ...common,
      channel: 'mail',
      codeId: ports.secrets.codeIdOf(mfaToken ?? ''),
      phoneNumber: number,
    } as const;
  },
  decide({ codes }, { id: userId, channel, codeId, phoneNumber, now }) {
    const code = codeId === undefined ? undefined : codes.get(codeId);
    // One answer for an unknown, expired, used or another user's token: a client that guesses learns nothing.
    if (codeId === undefined || code?.channel !== channel || !isTokenValid(code, now))
      throw forbidden(
        channel === 'sms'
          ? 'body/requestToken is not valid, or no longer'
          : 'The header X-Service-MFA-Token must hold a valid token of a completed phone_update_flow',
      );
    return [
      { type: 'PhoneNumberChanged', data: { userId, codeId, phoneNumber: phoneNumber ?? code.destination } },
    ];
  },
  outcome: () => null,
  responses: { 204: null },
  refusals: ['forbidden'],
  respond: () => ({ status: 204 }),
});
