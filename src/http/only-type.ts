import { HttpError } from './http-error.ts';
import type { RouteStep } from './route-table.ts';

/** What most clients send; it needs no negotiation. */
const PLAIN_ACCEPT = new Set(['*/*', 'application/json, text/plain, */*']);

/** Refuses an Accept that excludes a media type, before anything is done (RFC 9110, 12.5.1). */
export const onlyType =
  (type: string): RouteStep =>
  (ctx, next) => {
    const { accept } = ctx.req.headers;
    if (accept !== undefined && accept !== type && !PLAIN_ACCEPT.has(accept)) {
      // Naming the answer's own charset does not exclude it.
      ctx.req.headers.accept = accept.replaceAll(/;\s*charset\s*=\s*"?utf-8"?/gi, '');
      if (!ctx.accepts(type)) throw new HttpError('not-acceptable', `The Accept header must allow ${type}`);
    }
    return next();
  };
