import { isHttpError } from 'http-errors';
import type { Middleware } from 'koa';

/** Answers a failure with what may be told of it. */
export const errors: Middleware = async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    const isTold = isHttpError(error) && error.expose;
    ctx.status = isTold ? error.status : 500;
    ctx.body = { error: isTold ? error.message : 'Internal error' };
    if (!isTold) ctx.app.emit('error', error, ctx);
  }
};
