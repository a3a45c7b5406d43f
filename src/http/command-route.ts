import { actorOf } from '../access/access.ts';
import type { Command } from '../application/command.ts';
import type { HandleCommand } from '../application/handle-command.ts';
import { createValidator } from '../schema/validation.ts';
import type { RouteContext } from './edge/context.ts';
import { readHashedIdempotencyKey } from './idempotency-key.ts';
import type { FindQuota } from './daily-quotas.ts';
import { createBodyReader, requireValid } from './parameters.ts';
import { readPreconditions } from './preconditions.ts';
import type { FindReadBackEtag } from './query-route.ts';

/** What carries out commands. */
export interface CommandRouteOptions {
  readonly handle: HandleCommand;
  readonly fingerprintOf: (request: string) => string;
  readonly quotaOf: FindQuota;
}

const MAX_TOKEN_LENGTH = 1_000;

/** The route of a command. @param etagOf left out where nothing is read back at its path */
export const commandRoute = (
  command: Command,
  { handle, fingerprintOf, quotaOf }: CommandRouteOptions,
  etagOf?: FindReadBackEtag,
) => {
  const checkParams = createValidator(command.params, 'path');
  const readBody = createBodyReader(command.body);

  return async (ctx: RouteContext): Promise<void> => {
    const { caller, principal, requestId } = ctx.state;
    const params = requireValid(checkParams, { ...ctx.params });
    const body = await readBody(ctx);
    const mfaToken = command.takesMfaToken ? ctx.get('X-Service-MFA-Token').slice(0, MAX_TOKEN_LENGTH) : undefined;
    const preconditions = readPreconditions(ctx.req.headers);
    const idempotency = readHashedIdempotencyKey(ctx, caller, fingerprintOf, {
      operation: command.name,
      params,
      body,
      mfaToken,
      preconditions,
    });

    const reply = await handle(command, {
      principal,
      actor: actorOf(caller),
      requestId,
      params,
      body,
      mfaToken,
      idempotency,
      preconditions: preconditions && {
        ...preconditions,
        etagAt: etagOf && ((position) => etagOf({ principal, params }, position)),
      },
      quota: quotaOf(caller),
    });
    ctx.status = reply.status;
    if (reply.body !== undefined) ctx.body = reply.body;
    ctx.set('Consistency-Token', reply.position);
    if (reply.isReplayed) ctx.set('Idempotent-Replayed', 'true');
  };
};
