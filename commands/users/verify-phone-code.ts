import { Type } from '../../src/schema/typebox.ts';
import { anyUser } from '../../src/access/access.ts';
import { defineCommand } from '../../src/application/command.ts';
import { user } from '../../src/domain/user.ts';
import { Identifier, Timestamp, object, sixDigits } from '../../src/schema/schema.ts';
import { answerCode, answerOutcome, requireLegacyFlow, toAnswer } from './one-time-code.ts';

/** Turns the code from an SMS into the token that changes the phone number. */
export const verifyPhoneCode = defineCommand(user)({
  name: 'verifyPhoneCode',
  summary: 'Answer a one-time code',
  method: 'POST',
  path: '/users/phone/codes/:codeId/verify',
  access: anyUser,
  params: object({ codeId: Identifier }),
  body: object({ code: sixDigits }),
  prepare({ principal, params, body }, context) {
    requireLegacyFlow(context.ports);
    return toAnswer(principal.id, params.codeId, 'sms', body.code, context);
  },
  decide: answerCode,
  outcome: answerOutcome,
  responses: { 200: object({ requestToken: Type.String(), expiresAt: Timestamp }) },
  refusals: ['wrong-code', 'not-verified', 'not-found'],
  respond: ({ codeId, expiresAt }, { secrets }) => ({
    status: 200,
    body: { requestToken: secrets.tokenOf(codeId), expiresAt },
  }),
});
