import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { limitConnections, HEADERS_SECONDS, type ConnectionOptions } from './connections.ts';
import { answerInOrder } from './pipelines.ts';
import { MAX_HEAD_BYTES, HEADER_COUNT_LIMIT } from './request-head.ts';
import { stopServer } from './stop.ts';
import { onConnectMethod, onClientError } from './client-error.ts';

export interface ListeningServer {
  readonly port: number;
  readonly url: string;
  /** Accepts no more connections, lets requests finish for so many milliseconds at most, then cuts what is left. */
  stop(milliseconds: number): Promise<void>;
}

/** How long a client may take (docs/behaviour.md, Connections). */
const REQUEST_MS = 30_000;
/** How often Node.js checks the times. */
const CHECK_MS = 500;

/** Listens on a port, 0 for any free one; rejects when it is not available. */
export const listen = async (
  handler: RequestListener,
  host: string,
  port: number,
  options: ConnectionOptions,
): Promise<ListeningServer> => {
  const listener = answerInOrder(handler);
  const server = createServer(
    {
      // The handler checks the header, and answers with the error object.
      requireHostHeader: false,
      maxHeaderSize: MAX_HEAD_BYTES,
      headersTimeout: HEADERS_SECONDS * 1_000 - CHECK_MS,
      requestTimeout: REQUEST_MS - CHECK_MS,
      connectionsCheckingInterval: CHECK_MS,
      // Clients are told by a header of each answer.
      keepAliveTimeout: options.keepAliveSeconds * 1_000,
    },
    listener,
  );
  server.maxHeadersCount = HEADER_COUNT_LIMIT;
  // The handler decides whether to accept the body, and what to answer.
  server.on('checkContinue', listener);
  server.on('checkExpectation', listener);
  server.on('clientError', onClientError);
  server.on('connect', onConnectMethod);
  // With a listener, Node.js closes no idle connection itself: it would also where a request came while it stood still.
  server.on('timeout', () => undefined);
  const open = limitConnections(server, options);

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      // Accepting fails while the process may open no more files.
      server.on('error', (error) => options.onRefused(error.message));
      resolve();
    });
  });
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    port: address.port,
    url: `http://${name}:${address.port}`,
    stop: (milliseconds) => stopServer(server, open, milliseconds),
  };
};
