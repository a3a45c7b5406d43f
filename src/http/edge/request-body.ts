import { isUtf8 } from 'node:buffer';
import bodyParser from 'koa-bodyparser';
import { invalid } from '../../errors/domain-error.ts';
import { HttpError } from './http-error.ts';
import type { Context } from './context.ts';

const LIMIT = '100kb';

const throwBodyRefusal = (error: unknown): never => {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  if (status === 413) throw new HttpError('body-too-large', 'body must be at most 100 KiB');
  if (status === 415)
    throw new HttpError('unsupported-media-type', 'The Content-Encoding must be gzip, deflate, br or none', {
      'Accept-Encoding': 'gzip, deflate, br, identity',
    });
  throw invalid('body could not be read');
};

/**
 * The parser decompresses and bounds the body. It gives bytes, since what is not UTF-8 must be refused (RFC 8259, 8.1):
 * decoding would replace it silently.
 */
const bodyParserOptions = {
  enableTypes: ['text'],
  extendTypes: { text: ['application/json'] },
  textLimit: LIMIT,
  // Gives bytes. The parser passes this option on, though its type does not say so.
  encoding: null,
  onerror: throwBodyRefusal,
};
const readBytes = bodyParser(bodyParserOptions);

/** Whether the headers announce a body (RFC 9112, 6). */
export const hasBody = ({ req: { headers } }: Context): boolean =>
  (headers['transfer-encoding'] ?? '') !== '' || Number(headers['content-length'] ?? 0) > 0;

const checkType = (ctx: Context): void => {
  // RFC 5789, 3.1.
  const accepted = ctx.method === 'PATCH' ? { 'Accept-Patch': 'application/json' } : {};
  if (!ctx.is('application/json'))
    throw new HttpError('unsupported-media-type', 'The Content-Type must be application/json', accepted);
  const charset = ctx.request.charset.toLowerCase();
  if (charset !== '' && charset !== 'utf-8' && charset !== 'utf8')
    throw new HttpError('unsupported-media-type', 'The charset must be utf-8', accepted);
};

/** The JSON value of a request's body; an empty object where there is no body. */
export const readJson = async (ctx: Context): Promise<unknown> => {
  if (!hasBody(ctx)) return {};
  if (ctx.req.headers['content-type'] !== 'application/json') checkType(ctx);
  // Codings are case-insensitive, and x-gzip is gzip (RFC 9110, 8.4.1); the library below takes them literally.
  const coding = ctx.req.headers['content-encoding']?.toLowerCase();
  if (coding !== undefined) ctx.req.headers['content-encoding'] = coding === 'x-gzip' ? 'gzip' : coding;
  // All else is valid: only now may a waiting client send the body. HTTP/1.0 has no 100 (RFC 9110, 10.1.1).
  if (ctx.get('Expect') !== '' && ctx.req.httpVersion !== '1.0') ctx.res.writeContinue();
  await readBytes(ctx, () => Promise.resolve());
  const bytes: unknown = ctx.request.rawBody;
  if (!Buffer.isBuffer(bytes)) throw new Error('The body was not read as bytes');
  if (bytes.length === 0) return {};
  if (!isUtf8(bytes)) throw invalid('body must be UTF-8');
  try {
    // A receiver may ignore a byte order mark (RFC 8259, 8.1).
    const value: unknown = JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, ''));
    return value;
  } catch {
    throw invalid('body must be valid JSON');
  }
};
