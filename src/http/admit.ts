import type { Access } from '../access/access.ts';
import { ownerOf, type Credentials } from './credentials.ts';
import type { RateLimit } from './rate-limit.ts';
import type { RouteStep } from './segment-router.ts';

export interface AdmitOptions {
  readonly credentials: Credentials;
  readonly limit: RateLimit;
}

/** Identifies the caller, limits and authorizes, in one step, since each step costs a closure and a promise. */
export const admit =
  ({ credentials, limit }: AdmitOptions) =>
  (operation: { name: string; path: string; access: Access<unknown> }, cost = 1): RouteStep =>
  async (ctx, next) => {
    const { access } = operation;
    ctx.state.operation = operation;
    const caller = await credentials.identify(ctx, access);
    await limit(ctx, ownerOf(caller), cost);
    ctx.state.caller = caller;
    ctx.state.principal = access.authorize(caller);
    await next();
  };
