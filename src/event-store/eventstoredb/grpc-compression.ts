import { createRequire } from 'node:module';

/** The part of the client's gRPC library that makes the headers of a call. */
interface CompressionFilter {
  readonly prototype: { sendMetadata: (this: unknown, metadata: unknown) => Promise<{ remove(name: string): void }> };
}

const isFilter = (value: unknown): value is CompressionFilter =>
  typeof value === 'function' && typeof (value as Partial<CompressionFilter>).prototype?.sendMetadata === 'function';

const loadFilter = (): CompressionFilter => {
  const ofClient = createRequire(createRequire(import.meta.url).resolve('@eventstore/db-client'));
  const loaded: unknown = ofClient('@grpc/grpc-js/build/src/compression-filter.js');
  const filter = (loaded as { readonly CompressionFilter?: unknown }).CompressionFilter;
  if (!isFilter(filter)) throw new Error('The gRPC library has no compression filter that sends metadata');
  return filter;
};

let isDone = false;

/**
 * Stops gRPC calls from offering compression. KurrentDB 25.1 to 26.1 compresses each message by itself for a client
 * that offers gzip, which makes reads ten times as slow; the gRPC library has no setting for it.
 *
 * @throws Error where the gRPC library has no compression filter
 */
export const disableGrpcCompression = (): void => {
  if (isDone) return;
  const { prototype } = loadFilter();
  const { sendMetadata } = prototype;
  prototype.sendMetadata = async function (metadata) {
    const headers = await sendMetadata.call(this, metadata);
    // Without this header a server sends messages uncompressed (gRPC over HTTP2, Compression).
    headers.remove('grpc-accept-encoding');
    return headers;
  };
  isDone = true;
};
