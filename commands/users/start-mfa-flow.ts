import { Type } from '../../src/schema/typebox.ts';
import { anyUserAccess } from '../../src/access/access.ts';
import { defineCommand } from '../../src/application/command.ts';
import { userDecider } from '../../src/domain/user.ts';
import { conflict } from '../../src/errors/domain-error.ts';
import { newestEmailOf, loadProfessionalsOfUser } from '../parts/user-professionals.ts';
import { Identifier, Timestamp, object } from '../../src/schema/schema.ts';
import { issueAndDeliverCode } from './one-time-code.ts';

/** `j***@example.com` */
const maskEmail = (address: string): string => {
  const at = address.lastIndexOf('@');
  return `${String.fromCodePoint(address.codePointAt(0) ?? 0)}***${at > 0 ? address.slice(at) : ''}`;
};

/** Begins the multi-factor phone change: sends a code to the user's mail address. */
export const startMfaFlow = defineCommand(userDecider)({
  name: 'startMfaFlow',
  summary: 'Begin a multi-factor flow',
  method: 'POST',
  path: '/mfa/flows',
  access: anyUserAccess,
  params: object({}),
  body: object({ flow: Type.Enum(['phone_update_flow']) }),
  hasEffectOutside: true,
  async prepare({ principal }, context) {
    const address = newestEmailOf(await loadProfessionalsOfUser(principal.id, context));
    if (address === undefined) throw conflict('No mail address of the user is known');
    return {
      ...(await issueAndDeliverCode(principal.id, { channel: 'mail', address }, context)),
      sentTo: maskEmail(address),
    };
  },
  decide: (_state, { id: userId, codeId }) => [{ type: 'CodeDelivered', data: { userId, codeId } }],
  outcome: (_state, { codeId, sentTo, expiresAt }) => ({ flowId: codeId, sentTo, expiresAt }),
  responses: {
    201: object({
      flowId: Identifier,
      challenge: object({ kind: Type.Literal('otp_email'), sentTo: Type.String() }),
      expiresAt: Timestamp,
    }),
  },
  refusals: ['conflict'],
  respond: ({ flowId, sentTo, expiresAt }) => ({
    status: 201,
    body: { flowId, challenge: { kind: 'otp_email', sentTo }, expiresAt },
  }),
});
