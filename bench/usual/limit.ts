import createError from 'http-errors';
import type { Middleware } from 'koa';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { State } from './authenticate.ts';

/** Limits the requests of each user, in the memory of the process. */
export const limit = (perSecond: number): Middleware<State> => {
  const limiter = new RateLimiterMemory({ points: perSecond, duration: 1 });
  return async (ctx, next) => {
    const { remainingPoints, msBeforeNext } = await limiter.consume(ctx.state.user.sub).catch((error: unknown) => {
      throw error instanceof RateLimiterRes ? createError(429, 'Too many requests') : error;
    });
    ctx.set('RateLimit-Limit', String(perSecond));
    ctx.set('RateLimit-Remaining', String(remainingPoints));
    ctx.set('RateLimit-Reset', String(Math.ceil(msBeforeNext / 1_000)));
    await next();
  };
};
