import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { currentResponse } from './pipelines.ts';

/** How often a stop looks for connections that wait for no answer. */
const SWEEP_MS = 100;

/**
 * Accepts no more connections, closes those that wait for no answer once no answer is being sent, and after so many
 * milliseconds those that are left. Resolves when none is open.
 */
export const stopServer = async (
  server: Server,
  open: ReadonlyMap<Socket, unknown>,
  milliseconds: number,
): Promise<void> => {
  const closeIdle = (): void => {
    // To Node.js a connection is not idle on which nothing has come yet.
    for (const socket of open.keys()) if (socket.bytesRead === 0) socket.destroy();
    // And it is idle once its answer is ended, though not all of that may be sent: until then none is closed.
    for (const socket of open.keys()) if (currentResponse(socket)?.writableEnded) return;
    server.closeIdleConnections();
  };
  // `close` of an HTTP server closes idle connections at once, and lets clients take any time for their headers.
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  // After what has arrived is read, which timers run before.
  const sweep = setInterval(() => setImmediate(closeIdle), SWEEP_MS);
  const timer = setTimeout(() => {
    for (const socket of open.keys()) socket.destroy();
  }, milliseconds);
  await closed;
  clearInterval(sweep);
  clearTimeout(timer);
  // Ends the checks of how long clients take.
  server.close();
};
