import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Pipelines } from './pipelines.ts';

/** How long a client may take to read the last answer (as in Go's net/http), and more where the answer is large. */
const LAST_ANSWER_MS = 500;
const SLOW_BYTES_PER_MS = 50;
const MAX_LAST_ANSWER_MS = 30_000;

/**
 * Ends the service's side of a connection, and waits before it closes it, since a reset could reach the client before the
 * client has read the answer (RFC 9112, 9.6): half a second, and one second more for each 50 KB of the answer. What the client still
 * sends is not read.
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
 * Bounds how many connections a server has. When one more comes, the service closes the oldest that has sent no request yet,
 * else the oldest that waits for no answer: clients that open connections and say nothing lock nobody out. Where every connection
 * is being answered it closes the new one.
 *
 * @param onFull called for each connection that is closed so
 */
export const boundConnections = (
  server: Server,
  { hasSentRequest, currentResponse }: Pipelines,
  max: number,
  onFull: () => void,
): void => {
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
};

/**
 * Listener for the server's `timeout` event: closes a connection on which nothing has moved for a while, unless the client waits for
 * an answer that the service has still to give.
 */
export const closeStalled =
  ({ currentResponse }: Pipelines) =>
  (socket: Socket): void => {
    if (!currentResponse(socket) || socket.writableLength > 0) socket.destroy();
  };
