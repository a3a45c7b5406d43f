import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context } from './context.ts';

/** What never changes while the service runs. All answers share these bytes: one that its client does not read holds no copy. */
export interface Asset {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly gzipped: Buffer;
}

export const createAsset = async (type: string, content: string | Buffer): Promise<Asset> => {
  const plain = Buffer.from(content);
  const digest = createHash('sha256').update(plain).digest('base64url');
  // Weak: the same for both encodings (RFC 9110, 8.8.1).
  return { type, etag: `W/"${digest}"`, plain, gzipped: await promisify(gzip)(plain) };
};

/** Answers with an asset in the encoding that the client takes, or with 304 where it has it already (RFC 9110, 13.1.2). */
export const sendAsset = (ctx: Context, { type, etag, plain, gzipped }: Asset): void => {
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
  ctx.body = isGzipped ? gzipped : plain;
};
