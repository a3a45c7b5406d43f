import type { AccessPolicy } from '../access/access.ts';
import { callerIdOf, type Authenticator } from './authenticator.ts';
import type { RateLimitCheck } from './rate-limit.ts';
import type { RouteStep } from './segment-router.ts';

export interface AdmitCallerOptions {
  readonly credentials: Authenticator;
  readonly limit: RateLimitCheck;
}

/** Identifies the caller, limits and authorizes. */
export const admitCaller =
  ({ credentials, limit }: AdmitCallerOptions) =>
  (operation: { name: string; path: string; access: AccessPolicy<unknown> }, cost: number): RouteStep =>
  async (ctx, next) => {
    const { access } = operation;
    ctx.state.operation = operation;
    const caller = await credentials.identify(ctx, access);
    await limit(ctx, callerIdOf(caller), cost);
    ctx.state.caller = caller;
    ctx.state.principal = access.authorize(caller);
    await next();
  };
