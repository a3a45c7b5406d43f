import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context } from './context.ts';

/** Content that never changes while the service runs. Answers share its bytes, so a slow client holds no copy. */
export interface Asset {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  /** Compressed for the first client that takes it so: most instances serve no page of the documentation. */
  readonly gzipped: () => Promise<Buffer>;
}

export const createAsset = (type: string, content: string | Buffer): Asset => {
  const plain = Buffer.from(content);
  const digest = createHash('sha256').update(plain).digest('base64url');
  let gzipped: Buffer | undefined;
  return {
    type,
    // Weak: the same for both encodings (RFC 9110, 8.8.1).
    etag: `W/"${digest}"`,
    plain,
    gzipped: async () => (gzipped ??= await promisify(gzip)(plain)),
  };
};

/** Sends an asset in an accepted encoding, or a 304 if the client has it (RFC 9110, 13.1.2). */
export const sendAsset = async (
  ctx: Context,
  { type, etag, plain, gzipped }: Asset,
  cacheControl: string,
): Promise<void> => {
  const isGzipped = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
  // Before any header is set: an error's answer has none of them.
  const body = isGzipped ? await gzipped() : plain;
  ctx.vary('Accept-Encoding');
  ctx.set({ ETag: etag, 'Cache-Control': cacheControl });
  ctx.status = 200;
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  ctx.type = type;
  if (isGzipped) ctx.set('Content-Encoding', 'gzip');
  ctx.body = body;
};
