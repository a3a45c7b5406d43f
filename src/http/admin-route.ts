import type { TObject } from '../schema/typebox.ts';
import { actorOf } from '../access/access.ts';
import type { Audit } from '../audit/audited.ts';
import type { AdminContext, AdminOperation } from '../builds/admin-operation.ts';
import { auditedOperations } from '../builds/audited-operations.ts';
import type { ProjectionOperations } from '../builds/operations.ts';
import { object } from '../schema/schema.ts';
import type { RouteContext } from './edge/context.ts';
import { createBodyReader, createRequestReader } from './parameters.ts';
import { requirePreconditionsWithoutEtag } from './preconditions.ts';

export interface AdminRouteOptions extends Omit<AdminContext, 'operations'> {
  readonly operations: ProjectionOperations;
  readonly audit: Audit;
}

/** The route of an operator's operation. */
export const adminRoute = (operation: AdminOperation, { operations, audit, ...context }: AdminRouteOptions) => {
  const isRead = operation.method === 'GET';
  const readRequest = createRequestReader<TObject, TObject>(operation.params, operation.parameters ?? object({}));
  const readBody = createBodyReader<TObject>(operation.body);

  return async (ctx: RouteContext): Promise<void> => {
    const { caller, principal, requestId } = ctx.state;
    const { params, parameters } = readRequest(ctx);
    const body = isRead ? {} : await readBody(ctx);
    await requirePreconditionsWithoutEtag(ctx.req.headers, isRead);
    const actor = actorOf(caller);
    const reason = typeof body['reason'] === 'string' ? body['reason'] : undefined;
    const answer = await operation.act(
      { principal, params, parameters, body, actor },
      { ...context, operations: auditedOperations(operations, audit({ actor, requestId }), reason) },
    );
    ctx.status = operation.status;
    ctx.body = answer;
  };
};
