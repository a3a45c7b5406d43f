import { pipeline, type Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { Context } from './edge/context.ts';
import { HttpError } from './edge/http-error.ts';
import type { RouteStep } from './segment-router.ts';

/** What most clients send; it needs no negotiation. */
const PLAIN_ACCEPT = new Set(['*/*', 'application/json, text/plain, */*']);

/** Refuses an Accept that excludes all media types of an answer, before anything is done (RFC 9110, 12.5.1). */
export const requireAcceptable =
  (...types: readonly string[]): RouteStep =>
  (ctx, next) => {
    const { accept } = ctx.req.headers;
    if (accept !== undefined && accept !== types[0] && !PLAIN_ACCEPT.has(accept)) {
      // Naming the answer's own charset does not exclude it.
      ctx.req.headers.accept = accept.replaceAll(/;\s*charset\s*=\s*"?utf-8"?/gi, '');
      if (!ctx.accepts([...types]))
        throw new HttpError('not-acceptable', `The Accept header must allow ${types.join(' or ')}`);
    }
    return next();
  };

export const acceptsGzip = (ctx: Context): boolean => ctx.acceptsEncodings('gzip', 'identity') === 'gzip';

/** Sends a stream, compressed as it comes where that is accepted. */
export const sendStream = (ctx: Context, body: Readable, isGzipped: boolean): void => {
  if (isGzipped) ctx.set('Content-Encoding', 'gzip');
  // Koa hears of what fails.
  ctx.body = isGzipped ? pipeline(body, createGzip(), () => undefined) : body;
};
