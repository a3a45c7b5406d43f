import type { TObject } from '../schema/typebox.ts';
import { actorOf } from '../access/access.ts';
import type { Audit } from '../audit/audited.ts';
import { requirePreconditions } from '../application/preconditions.ts';
import { START } from '../event-store/port.ts';
import type { AdminContext, AdminOperation } from '../builds/admin-operation.ts';
import { auditedOperations } from '../builds/audited-operations.ts';
import type { Operations } from '../builds/operations.ts';
import { withoutNulls } from '../schema/body.ts';
import { object } from '../schema/schema.ts';
import { checker } from '../schema/validation.ts';
import type { RouteContext } from './edge/context.ts';
import { orRefuse, requestReader } from './parameters.ts';
import { readPreconditions, requireMatch } from './preconditions.ts';
import { readJson } from './edge/request-body.ts';

export interface AdminRouteOptions extends Omit<AdminContext, 'operations'> {
  readonly operations: Operations;
  readonly audit: Audit;
}

/** The route of an operator's operation. */
export const adminRoute = (
  operation: AdminOperation,
  { operations, audit, ...context }: AdminRouteOptions,
) => {
  const { method, status } = operation;
  const readRequest = requestReader<TObject, TObject>(operation.params, operation.parameters ?? object({}));
  const checkBody = checker(operation.body, 'body');

  return async (ctx: RouteContext): Promise<void> => {
    const { caller, principal, requestId } = ctx.state;
    const { params, parameters } = readRequest(ctx);
    const body = orRefuse(checkBody, method === 'GET' ? {} : withoutNulls(await readJson(ctx)));
    const preconditions = method === 'GET' ? undefined : readPreconditions(ctx.req.headers);
    if (preconditions) await requirePreconditions(preconditions, START);
    else requireMatch(ctx.req.headers);
    const actor = actorOf(caller);
    const reason = typeof body['reason'] === 'string' ? body['reason'] : undefined;
    const answer = await operation.act(
      { principal, params, parameters, body, actor },
      { ...context, operations: auditedOperations(operations, audit({ actor, requestId }), reason) },
    );
    ctx.status = status;
    ctx.body = answer;
  };
};
