import { invalid } from '../errors/domain-error.ts';
import { expectationFailed, headersTooLarge, targetTooLong } from './http-error.ts';
import type { Act } from './context.ts';

/** In bytes (docs/behaviour.md, Sizes). */
const MAX_TARGET_BYTES = 8 * 1_024;
export const MAX_HEADER_BYTES = 16 * 1_024;
/** Node.js drops headers beyond so many, so a request with as many is refused. */
export const MAX_HEADERS = 1_000;

/** Bytes of the header lines as sent (`name: value`, CRLF; a character is a byte), and the number of Hosts. */
const sumUp = (rawHeaders: readonly string[]): { bytes: number; hosts: number } => {
  let [bytes, hosts] = [2 * rawHeaders.length, 0];
  for (const text of rawHeaders) bytes += text.length;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return { bytes, hosts };
};

/**
 * Refuses a head that is too large, expects other than 100-continue, or names no target (RFC 9112, 3.2: one Host, and a
 * URL with a path). A URL in absolute form is reduced to its path and query.
 */
export const requestHead: Act = (ctx) => {
  const { url = '', rawHeaders, headers, httpVersion } = ctx.req;
  const isPath = url.startsWith('/') || url === '*';
  const address = isPath || !URL.canParse(url) ? undefined : new URL(url);
  // Even if refused below: Koa cannot read the path of an invalid URL.
  if (!isPath) ctx.req.url = address ? address.pathname + address.search : '/';
  if (url.length > MAX_TARGET_BYTES)
    throw targetTooLong(`The URL of the request must be at most ${MAX_TARGET_BYTES} bytes`);
  const { bytes, hosts } = sumUp(rawHeaders);
  if (rawHeaders.length >= 2 * MAX_HEADERS || bytes > MAX_HEADER_BYTES)
    throw headersTooLarge(
      `The headers must be fewer than ${MAX_HEADERS} and at most ${MAX_HEADER_BYTES} bytes together`,
    );
  // RFC 9110, 10.1.1: of all expectations, only 100-continue can be met.
  if (headers.expect !== undefined && httpVersion !== '1.0' && !/^(?:100-continue)?$/i.test(headers.expect))
    throw expectationFailed('The header Expect must be 100-continue, or not there');
  if (!isPath && !address) throw invalid('The URL of the request is not valid');
  if (hosts > 1) throw invalid('The header Host must not be given twice');
  if (httpVersion === '1.1' && (headers.host ?? '') === '') throw invalid('The header Host is missing');
};
