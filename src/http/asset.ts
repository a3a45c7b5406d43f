import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context } from './context.ts';

/** Content that never changes while the service runs. Answers share its bytes, so a slow client holds no copy. */
export interface Asset {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  /** Compressed for the first client that takes it: most instances serve no page of the documentation. */
  readonly gzipped: () => Promise<Buffer>;
}

export const createAsset = (type: string, content: string | Buffer): Asset => {
  const plain = Buffer.from(content);
  let gzipped: Promise<Buffer> | undefined;
  const digest = createHash('sha256').update(plain).digest('base64url');
  // Weak: the same for both encodings (RFC 9110, 8.8.1).
  return { type, etag: `W/"${digest}"`, plain, gzipped: () => (gzipped ??= promisify(gzip)(plain)) };
};

/** Sends an asset in an accepted encoding, or a 304 if the client has it (RFC 9110, 13.1.2). */
export const sendAsset = async (ctx: Context, { type, etag, plain, gzipped }: Asset): Promise<void> => {
  ctx.vary('Accept-Encoding');
  ctx.set('ETag', etag);
  ctx.status = 200;
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  ctx.type = type;
  const isGzipped = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (isGzipped) ctx.set('Content-Encoding', 'gzip');
  ctx.body = isGzipped ? await gzipped() : plain;
};
