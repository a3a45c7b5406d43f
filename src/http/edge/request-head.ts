import { invalid } from '../../errors/domain-error.ts';
import { HttpError } from './http-error.ts';
import type { SyncStep } from './context.ts';

/** In bytes (docs/behaviour.md, Sizes). */
const MAX_TARGET_BYTES = 8 * 1_024;
const MAX_HEADER_BYTES = 16 * 1_024;
/** Of both together: Node.js parses no larger head. */
export const MAX_HEAD_BYTES = MAX_TARGET_BYTES + MAX_HEADER_BYTES;
/** Node.js drops headers beyond so many, so a request with as many is refused. */
export const HEADER_COUNT_LIMIT = 1_000;

/** A host and an optional port: an address in brackets, or a registered name (RFC 3986, 3.2.2). */
const HOST_SOURCE = String.raw`(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+)(?::\d{0,5})?`;
const HOST_PATTERN = new RegExp(`^${HOST_SOURCE}$`, 'i');
/** A URL in absolute form (RFC 9112, 3.2.2), with its path and query. */
const ABSOLUTE_URL_PATTERN = new RegExp(String.raw`^https?://${HOST_SOURCE}(/[^#]*|\?[^#]*|)$`, 'i');

/** Bytes of the header lines as sent: `name: value`, CRLF; a character is a byte. */
const bytesOf = (rawHeaders: readonly string[]): number =>
  rawHeaders.reduce((bytes, text) => bytes + text.length + 2, 0);

const isHostHeader = (text: string, index: number): boolean =>
  index % 2 === 0 && text.length === 4 && text.toLowerCase() === 'host';

/**
 * Refuses a head that is too large, expects other than 100-continue, or names no target (RFC 9112, 3.2: one Host, and a
 * URL with a path). A URL in absolute form is reduced to its path and query.
 */
export const checkRequestHead: SyncStep = (ctx) => {
  const { url = '', rawHeaders, headers, httpVersion } = ctx.req;
  // Measured before it is looked at; Koa cannot read the path of an invalid URL.
  if (url.length > MAX_TARGET_BYTES) {
    ctx.req.url = '/';
    throw new HttpError('url-too-long', `The URL of the request must be at most ${MAX_TARGET_BYTES} bytes`);
  }
  const isPath = url.startsWith('/') || url === '*';
  const path = isPath ? url : ABSOLUTE_URL_PATTERN.exec(url)?.[1];
  if (!isPath) ctx.req.url = path?.startsWith('/') ? path : `/${path ?? ''}`;
  if (rawHeaders.length >= 2 * HEADER_COUNT_LIMIT || bytesOf(rawHeaders) > MAX_HEADER_BYTES)
    throw new HttpError(
      'headers-too-large',
      `The headers must be fewer than ${HEADER_COUNT_LIMIT} and at most ${MAX_HEADER_BYTES} bytes together`,
    );
  // RFC 9110, 10.1.1: of all expectations, only 100-continue can be met.
  if (headers.expect !== undefined && httpVersion !== '1.0' && !/^(?:100-continue)?$/i.test(headers.expect))
    throw new HttpError('expectation-failed', 'The header Expect must be 100-continue, or not there');
  if (path === undefined) throw invalid('The URL of the request is not valid');
  if (rawHeaders.filter(isHostHeader).length > 1) throw invalid('The header Host must not be given twice');
  const { host = '' } = headers;
  if (httpVersion === '1.1' && host === '') throw invalid('The header Host is missing');
  if (host !== '' && !HOST_PATTERN.test(host)) throw invalid('The header Host must be a host, with or without a port');
};
