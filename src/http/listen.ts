import { createServer, STATUS_CODES, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { v7 } from 'uuid';

export interface Listening {
  readonly port: number;
  readonly url: string;
  /** Takes no more, finishes what is in flight for at most so many milliseconds, then cuts what is left. */
  stop(milliseconds: number): Promise<void>;
}

const headersOf = (body: string) => ({
  'Content-Type': 'application/json; charset=utf-8',
  'Content-Length': Buffer.byteLength(body),
  'X-Request-Id': v7(),
  'X-Content-Type-Options': 'nosniff',
  Connection: 'close',
});

/** What is no HTTP request gets the error object all the same. */
const answerNonsense = (error: NodeJS.ErrnoException, socket: Socket): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status =
    error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const reason = STATUS_CODES[status] ?? '';
  const body = JSON.stringify({ error: status === 400 ? 'The request is not valid HTTP' : reason });
  const headers = Object.entries(headersOf(body)).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${headers.join('')}\r\n${body}`);
};

/** RFC 9110, 10.1.1: of all expectations, only 100-continue can be met. */
const answerExpectation: RequestListener = (_request, response) => {
  const body = JSON.stringify({ error: 'The header Expect must be 100-continue, or not there' });
  response.writeHead(417, headersOf(body)).end(body);
};

/** Listens on a port, 0 for any free one. Rejects when the port cannot be had. */
export const listen = async (handler: RequestListener, host: string, port: number): Promise<Listening> => {
  // A missing Host is answered by the handler, with the error object.
  const server = createServer({ requireHostHeader: false }, handler);
  server.on('clientError', answerNonsense);
  server.on('checkExpectation', answerExpectation);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
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
