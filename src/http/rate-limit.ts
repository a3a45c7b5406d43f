import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { tooManyRequests } from '../errors.ts';
import type { Context } from './context.ts';

export interface RateLimitSettings {
  /** 0 turns the limit off. */
  readonly perSecond: number;
  readonly burst: number;
}
export type RateLimit = (ctx: Context, owner: string) => Promise<void>;

/**
 * At most `burst` requests at once and `perSecond` in the long run: `burst` points for each window of
 * `burst / perSecond` seconds.
 */
export const createRateLimit = ({ perSecond, burst }: RateLimitSettings): RateLimit => {
  if (perSecond === 0) return () => Promise.resolve();
  const points = Math.max(burst, perSecond);
  const limiter = new RateLimiterMemory({ points, duration: points / perSecond });
  return async (ctx, owner) => {
    const seen = await limiter.consume(owner).catch((error: unknown) => {
      if (error instanceof RateLimiterRes) return error;
      throw error;
    });
    const seconds = Math.ceil(seen.msBeforeNext / 1_000);
    ctx.set('RateLimit-Limit', String(points));
    ctx.set('RateLimit-Remaining', String(Math.max(0, seen.remainingPoints)));
    ctx.set('RateLimit-Reset', String(seconds));
    if (seen.consumedPoints > points) throw tooManyRequests('Too many requests', Math.max(1, seconds));
  };
};
