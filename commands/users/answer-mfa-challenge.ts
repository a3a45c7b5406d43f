import { Type } from '../../src/schema/typebox.ts';
import { anyUserAccess } from '../../src/access/access.ts';
import { defineCommand } from '../../src/application/command.ts';
import { userDecider } from '../../src/domain/user.ts';
import { Identifier, Timestamp, object, sixDigits } from '../../src/schema/schema.ts';
import { decideCodeAttempt, codeAttemptOutcomeOf, toCodeAttempt } from './one-time-code.ts';

/** Turns the code from the mail into the token for the header X-Service-MFA-Token. */
export const answerMfaChallenge = defineCommand(userDecider)({
  name: 'answerMfaChallenge',
  summary: 'Answer the mail challenge of a multi-factor flow',
  method: 'POST',
  path: '/mfa/flows/:flowId/challenges/otp_email',
  access: anyUserAccess,
  params: object({ flowId: Identifier }),
  body: object({ code: sixDigits }),
  prepare: ({ principal, params, body }, context) =>
    toCodeAttempt(principal.id, params.flowId, 'mail', body.code, context),
  decide: decideCodeAttempt,
  outcome: codeAttemptOutcomeOf,
  responses: { 200: object({ token: Type.String(), expiresAt: Timestamp }) },
  refusals: ['wrong-code', 'not-verified', 'not-found'],
  respond: ({ codeId, expiresAt }, { secrets }) => ({
    status: 200,
    body: { token: secrets.tokenOf(codeId), expiresAt },
  }),
});
