import { toHttpError } from './edge/http-error.ts';
import { networkOf, type FindClientAddress } from './edge/client-address.ts';
import type { Context, Middleware } from './edge/context.ts';
import type { RateLimitCheck } from './rate-limit.ts';

/** Load balancers and Prometheus call these without an API key. */
const ALWAYS_FREE = ['/health/live', '/health/ready', '/metrics'];

const pathOf = ({ req: { url = '' } }: Context): string => {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
};

/**
 * Limits requests without valid credentials by the client's address (docs/behaviour.md, Anonymous callers). Those with
 * valid ones do not count, whatever other clients at the address send.
 *
 * @param free paths that are not counted
 */
export const anonymousLimit = (
  limit: RateLimitCheck,
  addressOf: FindClientAddress,
  free: readonly string[],
): Middleware => {
  const freePaths = new Set([...ALWAYS_FREE, ...free]);
  return (ctx, next) => {
    const count = () => limit(ctx, networkOf(addressOf(ctx.req)));
    if (ctx.state.key === undefined) return freePaths.has(pathOf(ctx)) ? next() : count().then(next);
    return next().catch(async (error: unknown) => {
      if (toHttpError(error)?.countsAsAnonymous) await count();
      throw error;
    });
  };
};
