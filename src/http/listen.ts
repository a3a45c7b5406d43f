import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { boundConnections, closeStalled } from './connections.ts';
import { createPipelines } from './pipelines.ts';
import { MAX_HEADERS } from './request-head.ts';
import { refuseConnect, refuseUnparsed } from './unparsed.ts';

export interface Listening {
  readonly port: number;
  readonly url: string;
  /** Takes no more, finishes what is in flight for at most so many milliseconds, then cuts what is left. */
  stop(milliseconds: number): Promise<void>;
}

export interface ListenOptions {
  readonly maxConnections: number;
  /** Whether a client's request id may be given back where its request could not be parsed. */
  readonly isUsableId: (given: string) => boolean;
  /** Told of each connection that could not be taken, or was closed for another. */
  readonly onRefused: (reason: string) => void;
}

/** How long a client may take (docs/decisions.md, Connections). */
const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;
const STALLED_MS = 30_000;
/** How often Node.js looks whether a client has taken too long. */
const CHECK_MS = 500;

/** Node.js does not parse a larger head. A smaller one reaches the handler, which answers 414 or 431 under the client's id. */
const MAX_HEAD_BYTES = 128 * 1_024;

/** Listens on a port, 0 for any free one. Rejects when the port cannot be had. */
export const listen = async (
  handler: RequestListener,
  host: string,
  port: number,
  { maxConnections, isUsableId, onRefused }: ListenOptions,
): Promise<Listening> => {
  const pipelines = createPipelines(handler);
  const server = createServer(
    {
      // The handler answers for it, with the error object.
      requireHostHeader: false,
      maxHeaderSize: MAX_HEAD_BYTES,
      headersTimeout: HEADERS_MS - CHECK_MS,
      requestTimeout: REQUEST_MS - CHECK_MS,
      connectionsCheckingInterval: CHECK_MS,
    },
    pipelines.listener,
  );
  server.maxHeadersCount = MAX_HEADERS;
  // The handler decides on both: whether to take the body, and what to answer.
  server.on('checkContinue', pipelines.listener);
  server.on('checkExpectation', pipelines.listener);
  server.on('clientError', refuseUnparsed(pipelines, isUsableId));
  server.on('connect', refuseConnect(pipelines));
  // Node.js mostly tells at its second look that nothing has moved since the first.
  server.setTimeout(STALLED_MS / 2, closeStalled(pipelines));
  boundConnections(server, pipelines, maxConnections, () => onRefused(`${maxConnections} are open`));

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      // Accepting fails where the process may open no more files; later it succeeds again.
      server.on('error', (error) => onRefused(error.message));
      resolve();
    });
  });
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    port: address.port,
    url: `http://${name}:${address.port}`,
    stop: (milliseconds) => stop(server, milliseconds),
  };
};

const stop = async (server: Server, milliseconds: number): Promise<void> => {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), milliseconds);
  await closed;
  clearTimeout(timer);
};
