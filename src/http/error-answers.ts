import { isHttpError } from 'http-errors';
import { Refusal } from '../errors.ts';
import type { Context, Step } from './context.ts';

const answer = (ctx: Context, status: number, message: string): void => {
  ctx.status = status;
  ctx.body = { error: message };
};

/**
 * Gives every failure the error object (interface specification, 2.8). What was not decided on purpose is a defect: it
 * is told to the log, and the caller learns no more than the request id.
 */
export const errorAnswers =
  (onDefect: (error: unknown, ctx: Context) => void): Step =>
  async (ctx, next) => {
    try {
      await next();
      const allowed = ctx.response.get('Allow');
      // The router sets the status and Allow, and no body. A method that nobody knows is no better than one not allowed.
      if (allowed !== '' && (ctx.status === 405 || ctx.status === 501))
        answer(ctx, 405, `The method must be one of ${allowed}`);
      else if (!ctx.body && (ctx.status === 404 || ctx.status === 501)) {
        ctx.remove('Allow');
        answer(ctx, 404, 'There is nothing here');
      }
    } catch (error) {
      if (error instanceof Refusal) {
        answer(ctx, error.status, error.message);
        if (error.retryAfter !== undefined) ctx.set('Retry-After', String(error.retryAfter));
        if (error.challenge !== undefined) ctx.set('WWW-Authenticate', error.challenge);
      } else if (isHttpError(error) && error.status < 500) {
        for (const [name, value] of Object.entries(error.headers ?? {})) ctx.set(name, value);
        answer(ctx, error.status, error.message);
      } else {
        onDefect(error, ctx);
        answer(ctx, 500, 'Internal error');
      }
    }
  };
