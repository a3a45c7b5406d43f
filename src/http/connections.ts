import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Pipelines } from './pipelines.ts';

/** How long a client may take to read the last answer (the same as in Go's net/http). */
const LAST_ANSWER_MS = 500;

/**
 * Closes a connection so that its client can read what was sent: a reset could overtake it (RFC 9112, 9.6). What the
 * client still sends is not read.
 */
export const closeGently = (socket: Socket): void => {
  socket.end();
  // After Node.js has made the socket flow, to throw away what is left of the body.
  setImmediate(() => socket.pause());
  setTimeout(() => socket.destroy(), LAST_ANSWER_MS).unref();
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
  { hasAsked, answering }: Pipelines,
  max: number,
  onFull: () => void,
): void => {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    if (open.size >= max) {
      const oldest =
        firstOf(open, (one) => !hasAsked(one)) ?? firstOf(open, (one) => answering(one) === undefined);
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
 * Closes a connection on which nothing has moved for a while, unless it is the service that has still to answer. To be
 * heard from the server's `timeout`.
 */
export const closeStalled =
  ({ answering }: Pipelines) =>
  (socket: Socket): void => {
    if (!answering(socket) || socket.writableLength > 0) socket.destroy();
  };
