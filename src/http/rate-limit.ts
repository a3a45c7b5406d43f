import { RateLimiterMemory, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import { tooMany } from '../errors/domain-error.ts';
import type { Context } from './edge/context.ts';

export interface RateLimitSettings {
  /** 0 turns the limit off. */
  readonly perSecond: number;
  readonly burst: number;
}
/** @param cost requests that this one counts as; 1 when left out */
export type RateLimitCheck = (ctx: Context, owner: string, cost?: number) => Promise<void>;

/** Counts the points of a window, for this process or for all instances. */
export type CreateLimiter = (points: number, seconds: number) => Pick<RateLimiterAbstract, 'consume'>;

/** Takes points, and tells what is left of them, and whether it was too many. */
export const tryConsumePoints = (limiter: ReturnType<CreateLimiter>, owner: string, points: number) =>
  limiter.consume(owner, points).then(
    (seen) => ({ seen, isOver: false }),
    (error: unknown) => {
      if (!(error instanceof RateLimiterRes)) throw error;
      return { seen: error, isOver: true };
    },
  );

/** Counts for this process, and forgets with it. */
export const createLocalLimiter: CreateLimiter = (points, duration) => new RateLimiterMemory({ points, duration });

/**
 * At most `burst` requests at once, or `perSecond` where that is more, and `perSecond` in the long run.
 *
 * @param name of the limit in `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-11)
 */
export const createRateLimitCheck = (
  name: 'caller' | 'anonymous',
  { perSecond, burst }: RateLimitSettings,
  createLimiter = createLocalLimiter,
): RateLimitCheck => {
  if (perSecond === 0) return () => Promise.resolve();
  const points = Math.max(burst, perSecond);
  const windowSeconds = points / perSecond;
  const policy = `"${name}";q=${points};w=${Math.ceil(windowSeconds)}`;
  const limiter = createLimiter(points, windowSeconds);
  return async (ctx, owner, cost = 1) => {
    // One request may always be asked, however small the burst is.
    const { seen, isOver } = await tryConsumePoints(limiter, owner, Math.min(cost, points));
    // Where the clock was set back, its window seems longer.
    const seconds = Math.ceil(Math.min(seen.msBeforeNext / 1_000, windowSeconds));
    const remaining = Math.max(0, seen.remainingPoints);
    ctx.res.setHeader('RateLimit', `"${name}";r=${remaining};t=${seconds}`);
    ctx.res.setHeader('RateLimit-Policy', policy);
    ctx.res.setHeader('RateLimit-Limit', points);
    ctx.res.setHeader('RateLimit-Remaining', remaining);
    ctx.res.setHeader('RateLimit-Reset', seconds);
    if (isOver) throw tooMany('Too many requests', Math.max(1, seconds));
  };
};
