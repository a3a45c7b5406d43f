import { httpStatusOf, type ErrorCode } from './edge/error-codes.ts';
import { retryAfterHeader, toHttpError } from './edge/http-error.ts';
import { StoreUnavailableError } from '../errors/store-unavailable.ts';
import { reasonInFull } from '../lib/reason-in-full.ts';
import type { Context, Middleware } from './edge/context.ts';

const sendErrorAnswer = (ctx: Context, code: ErrorCode, message: string): void => {
  ctx.status = httpStatusOf(code);
  ctx.set('Error-Code', code);
  ctx.body = { error: message };
};

const UNREADABLE = 'What this needs cannot be read now';
const UNWRITABLE =
  'Nothing can be stored now. What was asked for may have been stored all the same: ask again under the same Idempotency-Key';
const RETRY_SECONDS = 2;
/** A statement about the history is a POST that only reads. */
const isRead = ({ method, path }: Context): boolean => method === 'GET' || path.startsWith('/history/');

/**
 * Answers every failure with the error object (interface specification, 2.8). An error not thrown on purpose is a
 * defect: it goes to the application log, and the client learns only the request id. A store that cannot be used now is
 * logged, too, but answered with a 503.
 */
export const answerErrors =
  (onFailure: (error: unknown, ctx: Context) => void): Middleware =>
  async (ctx, next) => {
    try {
      await next();
      const allowed = ctx.response.get('Allow');
      // The router sets no body. A method that it does not know (501) is answered like one not allowed.
      if (allowed !== '' && (ctx.status === 405 || ctx.status === 501))
        sendErrorAnswer(ctx, 'method-not-allowed', `The method must be one of ${allowed}`);
      else if (!ctx.body && (ctx.status === 404 || ctx.status === 501)) {
        ctx.remove('Allow');
        sendErrorAnswer(ctx, 'not-found', 'There is nothing here');
      }
    } catch (error) {
      const httpError = toHttpError(error);
      if (httpError) {
        sendErrorAnswer(ctx, httpError.code, httpError.message);
        if ([401, 403, 503].includes(httpError.status)) ctx.state.refusal = reasonInFull(httpError);
        ctx.set(httpError.headers);
      } else {
        onFailure(error, ctx);
        if (error instanceof StoreUnavailableError) {
          sendErrorAnswer(ctx, 'unavailable', isRead(ctx) ? UNREADABLE : UNWRITABLE);
          ctx.set(retryAfterHeader(RETRY_SECONDS));
        } else sendErrorAnswer(ctx, 'internal', 'Internal error');
      }
    }
  };
