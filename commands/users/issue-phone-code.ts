import { anyUserAccess } from '../../src/access/access.ts';
import { defineCommand } from '../../src/application/command.ts';
import { userDecider } from '../../src/domain/user.ts';
import { parseAllowedPhoneNumber } from '../../src/domain/phone-number.ts';
import { Identifier, Timestamp, object, text } from '../../src/schema/schema.ts';
import { issueAndDeliverCode, requireLegacyFlowEnabled } from './one-time-code.ts';

/** Sends a code by SMS to the user's new number. */
export const issuePhoneCode = defineCommand(userDecider)({
  name: 'issuePhoneCode',
  summary: 'Send a one-time code to a new phone number',
  method: 'POST',
  path: '/users/phone/codes',
  access: anyUserAccess,
  params: object({}),
  body: object({ phoneNumber: text() }),
  hasEffectOutside: true,
  prepare({ principal, body }, context) {
    const { smsCountries } = requireLegacyFlowEnabled(context.ports);
    const phoneNumber = parseAllowedPhoneNumber(body.phoneNumber, 'body/phoneNumber', smsCountries);
    return issueAndDeliverCode(principal.id, { channel: 'sms', phoneNumber }, context);
  },
  decide: (_state, { id: userId, codeId }) => [{ type: 'CodeDelivered', data: { userId, codeId } }],
  outcome: (_state, { codeId, expiresAt }) => ({ codeId, expiresAt }),
  responses: { 202: object({ codeId: Identifier, expiresAt: Timestamp }) },
  refusals: [],
  respond: ({ codeId, expiresAt }) => ({ status: 202, body: { codeId, expiresAt } }),
});
