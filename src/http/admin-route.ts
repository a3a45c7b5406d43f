import { actorOf } from '../access/access.ts';
import type { AdminContext, AdminOperation } from '../rebuilds/admin-operation.ts';
import { withoutNulls } from '../schema/body.ts';
import { checker } from '../schema/validation.ts';
import { valid } from './command-route.ts';
import type { RouteContext } from './context.ts';
import { readJson } from './request-body.ts';

/** The route of an operator's operation. */
export const adminRoute = (operation: AdminOperation, context: AdminContext) => {
  const { method, status } = operation;
  const checkParams = checker(operation.params, 'path');
  const checkBody = checker(operation.body, 'body');

  return async (ctx: RouteContext): Promise<void> => {
    const params = valid(checkParams, { ...ctx.params });
    const body = valid(checkBody, method === 'GET' ? {} : withoutNulls(await readJson(ctx)));
    const answer = await operation.act({ params, body, actor: actorOf(ctx.state.caller) }, context);
    ctx.status = status;
    ctx.body = answer;
  };
};
