import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A client that writes bytes and, unless told to, reads nothing. */
export interface HostileSocket {
  readonly socket: Socket;
  /** By performance.now(). */
  readonly openedAt: number;
  /** Resolves to the milliseconds from its opening until the service had closed it, or its own side of it. */
  readonly closed: Promise<number>;
  /** The bytes that it has read. */
  received(): string;
}

/**
 * Opens a connection and writes to it. Without reading, it notices a closing only when it writes, or by a reset.
 *
 * @param options.isReading whether it reads the answers
 * @param options.from a loopback address of the client
 */
export const openHostile = async (
  url: string,
  bytes: string | Buffer = '',
  { isReading = true, from = '127.0.0.1' }: { readonly isReading?: boolean; readonly from?: string } = {},
): Promise<HostileSocket> => {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), localAddress: from, allowHalfOpen: true });
  const openedAt = performance.now();
  let received = '';
  const closed = new Promise<number>((resolve) => {
    const end = () => resolve(performance.now() - openedAt);
    socket.once('end', end);
    socket.once('close', end);
    socket.once('error', end);
  });
  // The service may reset it at any time.
  socket.on('error', () => undefined);
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  if (isReading) socket.on('data', (chunk) => (received += chunk.toString('latin1')));
  else socket.pause();
  if (bytes.length > 0) socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  return { socket, openedAt, closed, received: () => received };
};

/** The head of a request with a body of so many bytes. */
export const uploadHead = (key: string, length: number): string =>
  `PUT /internal/offices/a HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\nX-Request-Id: an-upload\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
