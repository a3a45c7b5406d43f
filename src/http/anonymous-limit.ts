import { toHttpError } from './edge/http-error.ts';
import { networkOf, type FindAddress } from './edge/client-address.ts';
import type { Context, Middleware } from './edge/context.ts';
import type { RateLimit } from './rate-limit.ts';

/** Load balancers and Prometheus call these without an API key. */
const isFree = ({ req: { url = '' } }: Context): boolean =>
  /^\/(?:health\/live|health\/ready|metrics)(?:\?|$)/.test(url);

/**
 * Counts requests without valid credentials against the client's address (docs/behaviour.md, Anonymous callers); those
 * with valid ones never, whatever other clients at the address send.
 */
export const anonymousLimit =
  (limit: RateLimit, addressOf: FindAddress): Middleware =>
  (ctx, next) => {
    const count = () => limit(ctx, networkOf(addressOf(ctx.req)));
    if (ctx.state.key === undefined) return isFree(ctx) ? next() : count().then(next);
    return next().catch(async (error: unknown) => {
      if (toHttpError(error)?.countsAsAnonymous) await count();
      throw error;
    });
  };
