import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Pipelines } from './pipelines.ts';

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

const firstOf = <T>(all: Iterable<T>, is: (one: T) => boolean): T | undefined => {
  for (const one of all) if (is(one)) return one;
  return undefined;
};

/**
 * Bounds a server's connections. For one more, it closes the oldest that has sent no request, else the oldest that
 * waits for no answer, so that idle clients lock no other client out; else the new one.
 *
 * @param onFull called for each connection so closed
 * @returns the open connections
 */
export const boundConnections = (
  server: Server,
  { hasSentRequest, currentResponse }: Pipelines,
  max: number,
  onFull: () => void,
): ReadonlySet<Socket> => {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    if (open.size >= max) {
      const oldest =
        firstOf(open, (one) => !hasSentRequest(one)) ?? firstOf(open, (one) => !currentResponse(one));
      onFull();
      (oldest ?? socket).destroy();
      if (!oldest) return;
      open.delete(oldest);
    }
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return open;
};

/** Listener for a server's `timeout` event: closes a connection without traffic, unless the service owes an answer. */
export const closeStalled =
  ({ currentResponse }: Pipelines) =>
  (socket: Socket): void => {
    if (!currentResponse(socket) || socket.writableLength > 0) socket.destroy();
  };
