import { Refusal } from '../errors/http-error.ts';
import { networkOf, type FindAddress } from './client-address.ts';
import type { Context, Step } from './context.ts';
import type { RateLimit } from './rate-limit.ts';

/** Load balancers and Prometheus ask for these, and have no key. */
const isFree = ({ req: { url = '' } }: Context): boolean =>
  /^\/(?:health\/live|health\/ready|metrics)(?:\?|$)/.test(url);

/**
 * Counts each answer to a request without valid credentials against its address (docs/decisions.md, Anonymous callers). A
 * request with them is never counted here, whatever others at its address do.
 */
export const anonymousLimit =
  (limit: RateLimit, addressOf: FindAddress): Step =>
  (ctx, next) => {
    const count = () => limit(ctx, networkOf(addressOf(ctx.req)));
    if (ctx.state.key === undefined) return isFree(ctx) ? next() : count().then(next);
    return next().catch(async (error: unknown) => {
      if (error instanceof Refusal && error.status === 401) await count();
      throw error;
    });
  };
