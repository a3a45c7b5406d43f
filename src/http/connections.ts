import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { isWithin, parseAddress, type AddressBlock } from '../lib/ip-address.ts';
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

interface Connection {
  readonly network: string;
  readonly isTrusted: boolean;
  /** As of the last second. */
  sentBytes: number;
  /** Seconds in which nothing was sent. */
  quietSeconds: number;
}

/** Bytes that the kernel has taken: of a large write only the handle knows how many; without it whole writes count. */
const sentBytesOf = (socket: Socket): number => {
  const handle: unknown = Reflect.get(socket, '_handle');
  const queued: unknown = handle instanceof Object ? Reflect.get(handle, 'writeQueueSize') : 0;
  return socket.bytesWritten - socket.writableLength - (typeof queued === 'number' ? queued : 0);
};

export interface ConnectionOptions {
  readonly maxConnections: number;
  readonly trustedProxies: readonly AddressBlock[];
  /** How long a connection on which no answer is due is kept alive. */
  readonly keepAliveSeconds: number;
  /** Called for each connection not accepted, or closed for a new one. */
  readonly onRefused: (reason: string) => void;
}

/**
 * Bounds a server's connections. Those that are idle or stalled too long are closed: seconds are counted, and none passes
 * for a client while the process stands still. For one connection more than may be open, the oldest that waits for its
 * client is closed, of the address that holds most, trusted proxies last; without one, the new connection.
 *
 * @returns the open connections
 */
export const boundConnections = (
  server: Server,
  { maxConnections, trustedProxies, keepAliveSeconds, onRefused }: ConnectionOptions,
): { keys(): Iterable<Socket> } => {
  const open = new Map<Socket, Connection>();
  const closeQuiet = (): void => {
    for (const [socket, connection] of open) {
      const sentBytes = sentBytesOf(socket);
      connection.quietSeconds = sentBytes === connection.sentBytes ? connection.quietSeconds + 1 : 0;
      connection.sentBytes = sentBytes;
      // Node.js bounds the time of a request, and what answers it its own.
      const maxIdleSeconds = currentResponse(socket) ? Infinity : keepAliveSeconds;
      const maxSeconds = socket.writableLength > 0 ? STALLED_SECONDS : maxIdleSeconds;
      if (connection.quietSeconds >= maxSeconds) socket.destroy();
    }
  };
  // After what has arrived is read, which timers run before.
  const timer = setInterval(() => setImmediate(closeQuiet), 1_000).unref();
  server.once('close', () => clearInterval(timer));

  const oldestToClose = (): Socket | undefined => {
    const held = new Map<string, number>();
    for (const { network } of open.values()) held.set(network, (held.get(network) ?? 0) + 1);
    let [oldest, most]: [Socket | undefined, number] = [undefined, -1];
    for (const [socket, { network, isTrusted, quietSeconds }] of open) {
      const rank = isTrusted ? 0 : (held.get(network) ?? 0);
      const current = currentResponse(socket);
      // For a request, the rest of one, or that an answer is read.
      const waitsForClient = !current?.req.complete || socket.writableLength > 0;
      const isQuiet = quietSeconds > 0 || !current;
      if (rank > most && waitsForClient && isQuiet) [oldest, most] = [socket, rank];
    }
    return oldest;
  };

  server.on('connection', (socket: Socket) => {
    if (open.size >= maxConnections) {
      const oldest = oldestToClose();
      onRefused(`${maxConnections} are open`);
      (oldest ?? socket).destroy();
      if (!oldest) return;
      open.delete(oldest);
    }
    const address = parseAddress(socket.remoteAddress ?? '');
    const isTrusted = address !== undefined && isWithin(address, trustedProxies);
    // No count yet: the second in which it was opened is not a whole one.
    open.set(socket, { network: networkOf(address), isTrusted, sentBytes: NaN, quietSeconds: 0 });
    socket.once('close', () => open.delete(socket));
  });
  return open;
};
