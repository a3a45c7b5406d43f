import { Type } from '../../src/schema/typebox.ts';
import { anyUser } from '../../src/access/access.ts';
import { defineCommand } from '../../src/application/command.ts';
import { user } from '../../src/domain/user.ts';
import { Identifier, Timestamp, object, sixDigits } from '../../src/schema/schema.ts';
import { answerCode, answerOutcome, toAnswer } from './one-time-code.ts';

/** Turns the code from the mail into the token for the header X-Service-MFA-Token. */
export const answerMfaChallenge = defineCommand(user)({
  name: 'answerMfaChallenge',
  summary: 'Answer the mail challenge of a multi-factor flow',
  method: 'POST',
  path: '/mfa/flows/:flowId/challenges/otp_email',
  access: anyUser,
  params: object({ flowId: Identifier }),
  body: object({ code: sixDigits }),
  prepare: ({ principal, params, body }, context) =>
    toAnswer(principal.id, params.flowId, 'mail', body.code, context),
  decide: answerCode,
  outcome: answerOutcome,
  responses: { 200: object({ token: Type.String(), expiresAt: Timestamp }) },
  refusals: ['wrong-code', 'not-verified', 'not-found'],
  respond: ({ codeId, expiresAt }, { secrets }) => ({
    status: 200,
    body: { token: secrets.tokenOf(codeId), expiresAt },
  }),
});
