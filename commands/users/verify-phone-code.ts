import { Type } from '../../src/schema/typebox.ts';
import { anyUserAccess } from '../../src/access/access.ts';
import { defineCommand } from '../../src/application/command.ts';
import { userDecider } from '../../src/domain/user.ts';
import { Identifier, Timestamp, object, sixDigits } from '../../src/schema/schema.ts';
import { decideCodeAttempt, codeAttemptOutcomeOf, requireLegacyFlowEnabled, toCodeAttempt } from './one-time-code.ts';

/** Turns the code from an SMS into the token that changes the phone number. */
export const verifyPhoneCode = defineCommand(userDecider)({
  name: 'verifyPhoneCode',
  summary: 'Answer a one-time code',
  method: 'POST',
  path: '/users/phone/codes/:codeId/verify',
  access: anyUserAccess,
  params: object({ codeId: Identifier }),
  body: object({ code: sixDigits }),
  prepare({ principal, params, body }, context) {
    requireLegacyFlowEnabled(context.ports);
    return toCodeAttempt(principal.id, params.codeId, 'sms', body.code, context);
  },
  decide: decideCodeAttempt,
  outcome: codeAttemptOutcomeOf,
  responses: { 200: object({ requestToken: Type.String(), expiresAt: Timestamp }) },
  refusals: ['wrong-code', 'not-verified', 'not-found'],
  respond: ({ codeId, expiresAt }, { secrets }) => ({
    status: 200,
    body: { requestToken: secrets.tokenOf(codeId), expiresAt },
  }),
});
