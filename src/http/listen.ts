import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { boundConnections, closeStalled } from './connections.ts';
import { createPipelines } from './pipelines.ts';
import { MAX_HEADERS } from './request-head.ts';
import { stopServer } from './stop.ts';
import { refuseConnect, refuseUnparsed } from './unparsed.ts';

export interface Listening {
  readonly port: number;
  readonly url: string;
  /** Accepts no more connections, lets requests finish for so many milliseconds at most, then cuts what is left. */
  stop(milliseconds: number): Promise<void>;
}

export interface ListenOptions {
  readonly maxConnections: number;
  /** Whether the answer to an unparsable request may repeat the client's request id. */
  readonly isUsableId: (given: string) => boolean;
  /** Called for each connection not accepted, or closed for a new one. */
  readonly onRefused: (reason: string) => void;
}

/** How long a client may take (docs/behaviour.md, Connections). */
const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;
const STALLED_MS = 30_000;
/** How often Node.js checks the times. */
const CHECK_MS = 500;

/** Node.js parses no larger head; below it the handler answers 414 or 431, with the client's request id. */
const MAX_HEAD_BYTES = 128 * 1_024;

/** Listens on a port, 0 for any free one; rejects when it is not available. */
export const listen = async (
  handler: RequestListener,
  host: string,
  port: number,
  { maxConnections, isUsableId, onRefused }: ListenOptions,
): Promise<Listening> => {
  const pipelines = createPipelines(handler);
  const server = createServer(
    {
      // The handler checks the header, and answers with the error object.
      requireHostHeader: false,
      maxHeaderSize: MAX_HEAD_BYTES,
      headersTimeout: HEADERS_MS - CHECK_MS,
      requestTimeout: REQUEST_MS - CHECK_MS,
      connectionsCheckingInterval: CHECK_MS,
    },
    pipelines.listener,
  );
  server.maxHeadersCount = MAX_HEADERS;
  // The handler decides whether to accept the body, and what to answer.
  server.on('checkContinue', pipelines.listener);
  server.on('checkExpectation', pipelines.listener);
  server.on('clientError', refuseUnparsed(pipelines, isUsableId));
  server.on('connect', refuseConnect(pipelines));
  // Node.js mostly reports a stall at its second check, hence half the time.
  server.setTimeout(STALLED_MS / 2, closeStalled(pipelines));
  const open = boundConnections(server, pipelines, maxConnections, () =>
    onRefused(`${maxConnections} are open`),
  );

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      // Accepting fails while the process may open no more files.
      server.on('error', (error) => onRefused(error.message));
      resolve();
    });
  });
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    port: address.port,
    url: `http://${name}:${address.port}`,
    stop: (milliseconds) => stopServer(server, open, pipelines, milliseconds),
  };
};
