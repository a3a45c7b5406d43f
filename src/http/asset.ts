import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { onceUnlessFailed } from '../lib/once-unless-failed.ts';
import { acceptsGzip } from './content-negotiation.ts';
import type { Context } from './edge/context.ts';
import { requireMatch } from './preconditions.ts';

interface Content {
  readonly etag: string;
  readonly plain: Buffer;
  /** Compressed for the first client that takes it so. */
  readonly gzipped: () => Promise<Buffer>;
}

/**
 * Content that never changes while the service runs. It is made for the first client that asks, as most instances serve
 * no page of the documentation. Answers share its bytes, so a slow client holds no copy.
 */
interface Asset {
  readonly type: string;
  readonly content: () => Promise<Content>;
}

/** @param make tried again for the next client where it fails */
export const createAsset = (type: string, make: () => string | Promise<Buffer>): Asset => ({
  type,
  content: onceUnlessFailed(async () => {
    const content = await make();
    const plain = typeof content === 'string' ? Buffer.from(content) : content;
    return {
      // Weak: the same for both encodings (RFC 9110, 8.8.1).
      etag: `W/"${hash('sha256', plain, 'base64url')}"`,
      plain,
      gzipped: onceUnlessFailed(() => promisify(gzip)(plain)),
    };
  }),
});

/** Sends an asset in an accepted encoding, or a 304 if the client has it (RFC 9110, 13.1.2). */
export const sendAsset = async (ctx: Context, { type, content }: Asset, cacheControl: string): Promise<void> => {
  const isGzipped = acceptsGzip(ctx);
  // Before any header is set: an error's answer has none of them.
  const { etag, plain, gzipped } = await content();
  requireMatch(ctx.req.headers, etag.slice('W/'.length));
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
