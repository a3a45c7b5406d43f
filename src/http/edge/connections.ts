import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { isInAnyBlock, parseIpAddress, type CidrBlock } from '../../lib/ip-address.ts';
import { networkOf } from './client-address.ts';
import { currentResponse } from './pipelines.ts';

/** How long a client may take to read the last answer (as in Go's net/http), plus time for its size. */
const LAST_ANSWER_MS = 500;
const SLOW_BYTES_PER_MS = 50;
const MAX_LAST_ANSWER_MS = 30_000;

/**
 * Half-closes a connection and destroys it later, since a reset could reach the client before it has read the answer
 * (RFC 9112, 9.6): after half a second, plus a second for each 50 KB. What the client still sends is not read.
 */
export const closeGently = (socket: Socket, answerBytes = 0): void => {
  socket.end();
  // Node.js resumes the socket after an answer, to drain the body.
  setImmediate(() => socket.pause());
  const forSize = Math.min(answerBytes / SLOW_BYTES_PER_MS, MAX_LAST_ANSWER_MS);
  setTimeout(() => socket.destroy(), LAST_ANSWER_MS + forSize).unref();
};

/** How long a client may read nothing of an answer (docs/behaviour.md, Requests). */
const STALLED_SECONDS = 30;
/** How long a client may take for the headers of a request, before Node.js has it answered with a 408. */
export const HEADERS_SECONDS = 10;

interface Connection {
  readonly network: string;
  readonly isTrusted: boolean;
  /** As of the last second, as are the bytes read. */
  sentBytes: number;
  readBytes: number;
  /** Seconds in which nothing was sent. */
  quietSeconds: number;
  /** What was read by the time of the last answer. */
  readBefore: number;
}

/** Bytes that the kernel has taken: of a large write only the handle knows how many; without it whole writes count. */
const sentBytesOf = (socket: Socket): number => {
  const handle: unknown = Reflect.get(socket, '_handle');
  const queued: unknown = handle instanceof Object ? Reflect.get(handle, 'writeQueueSize') : 0;
  return socket.bytesWritten - socket.writableLength - (typeof queued === 'number' ? queued : 0);
};

export interface ConnectionOptions {
  readonly maxConnections: number;
  readonly trustedProxies: readonly CidrBlock[];
  /** How long a connection on which no answer is due is kept alive. */
  readonly keepAliveSeconds: number;
  /** Called for each connection not accepted, or closed for a new one. */
  readonly onRefused: (reason: string) => void;
}

/**
 * Bounds a server's connections. Those that are idle or stalled too long are closed; seconds in which the process
 * stands still do not count. Where all are taken, a new connection closes another: of the address that holds most,
 * trusted proxies last, the oldest that is idle or stalled, else the oldest whose request arrives slowly. Where there
 * is none, the new one is closed.
 *
 * @returns the open connections
 */
export const limitConnections = (
  server: Server,
  { maxConnections, trustedProxies, keepAliveSeconds, onRefused }: ConnectionOptions,
): ReadonlyMap<Socket, unknown> => {
  const open = new Map<Socket, Connection>();
  const maxQuietSeconds = (socket: Socket, { sentBytes, readBefore }: Connection): number => {
    if (socket.writableLength > 0) return STALLED_SECONDS;
    // Node.js bounds the time of the first request, and of the rest of any; what answers it, its own.
    if (sentBytes === 0 || currentResponse(socket)) return Infinity;
    // A head that has begun gets the time for headers as well; blank lines get it once.
    return socket.bytesRead > readBefore ? keepAliveSeconds + HEADERS_SECONDS + 1 : keepAliveSeconds;
  };
  const closeQuiet = (): void => {
    for (const [socket, connection] of open) {
      const [sentBytes, readBytes] = [sentBytesOf(socket), socket.bytesRead];
      const isQuiet = sentBytes === connection.sentBytes;
      connection.quietSeconds = isQuiet ? connection.quietSeconds + 1 : 0;
      if (!isQuiet) connection.readBefore = readBytes;
      Object.assign(connection, { sentBytes, readBytes });
      if (connection.quietSeconds >= maxQuietSeconds(socket, connection)) socket.destroy();
    }
  };
  let timer: NodeJS.Timeout | undefined;
  const stopLooking = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  const look = (): void => {
    if (open.size === 0) stopLooking();
    // Timers run before sockets are read, immediates after.
    else setImmediate(closeQuiet);
  };
  server.once('close', stopLooking);

  const oldestToClose = (): Socket | undefined => {
    const held = new Map<string, number>();
    for (const { network, isTrusted } of open.values()) held.set(network, isTrusted ? 0 : (held.get(network) ?? 0) + 1);
    let most = 0;
    for (const count of held.values()) most = Math.max(most, count);
    let slow: Socket | undefined;
    for (const [socket, connection] of open) {
      if (held.get(connection.network) !== most) continue;
      const current = currentResponse(socket);
      const isReceiving = current?.req.complete === false;
      const isStalled = isReceiving
        ? socket.bytesRead === connection.readBytes
        : socket.writableLength > 0 && sentBytesOf(socket) === connection.sentBytes;
      if (!current || (isStalled && connection.quietSeconds > 0)) return socket;
      if (isReceiving && connection.quietSeconds > 0) slow ??= socket;
    }
    return slow;
  };

  server.on('connection', (socket: Socket) => {
    if (open.size >= maxConnections) {
      const oldest = oldestToClose();
      onRefused(`${maxConnections} are open`);
      (oldest ?? socket).destroy();
      if (!oldest) return;
      open.delete(oldest);
    }
    const address = parseIpAddress(socket.remoteAddress ?? '');
    const isTrusted = address !== undefined && isInAnyBlock(address, trustedProxies);
    const network = networkOf(address);
    timer ??= setInterval(look, 1_000).unref();
    open.set(socket, { network, isTrusted, sentBytes: 0, readBytes: 0, quietSeconds: 0, readBefore: 0 });
    socket.once('close', () => open.delete(socket));
  });
  return open;
};
