import { STATUS_CODES, type IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { httpStatusOf, type ErrorCode } from './error-codes.ts';
import { newUuid } from '../../lib/uuid.ts';
import { closeGently } from './connections.ts';
import { currentResponse, dropIncompleteRequest, lastRequest } from './pipelines.ts';
import { dataAnswerHeaders } from './common-headers.ts';

type ParseError = Pick<NodeJS.ErrnoException, 'code'>;
type Refusal = readonly [code: ErrorCode, message: string];

const TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';
const CONNECT = 'CONNECT';
const NOT_HTTP: Refusal = ['invalid', 'The request is not valid HTTP'];
const REFUSALS = new Map<string, Refusal>([
  [CONNECT, ['invalid', 'The method CONNECT opens no tunnel here']],
  [TIMEOUT, ['request-timeout', 'The request did not arrive in time']],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', ['body-too-large', 'The chunk extensions of the body are too long']],
  ['HPE_HEADER_OVERFLOW', ['headers-too-large', 'The head of the request is too large']],
]);

/**
 * Listener for the server's `clientError` event: after earlier requests, answers one that is not HTTP or does not
 * arrive in time with the error object, and closes the connection.
 */
export const onClientError = (error: ParseError, socket: Socket): void => {
  if (error.code !== TIMEOUT) {
    refuseRequest(error, socket);
    return;
  }
  const last = lastRequest(socket);
  const wasWhole = last?.complete;
  // What has arrived while the process stood still is read before the immediate, and served.
  setImmediate(() => {
    const request = lastRequest(socket);
    const isServed = request?.complete && !(request === last && wasWhole);
    if (!isServed) refuseRequest(error, socket);
  });
};

const refuseRequest = ({ code = '' }: ParseError, socket: Socket): void => {
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  socket.pause();
  const last = dropIncompleteRequest(socket);
  const current = currentResponse(socket);
  if (last) {
    if (last.headersSent) last.once('close', () => closeGently(socket));
    else last.setHeader('Connection', 'close');
  } else if (current?.headersSent) {
    // The client would take an answer for the rest of the one that has begun.
    socket.destroy();
  } else {
    refuse(socket, REFUSALS.get(code) ?? NOT_HTTP, String(current?.getHeader('X-Request-Id') ?? newUuid()));
  }
};

/** Listener for the server's `connect` event: refuses, since the service is no proxy. */
export const onConnectMethod = (_request: IncomingMessage, socket: Duplex): void => {
  if (!(socket instanceof Socket)) return;
  socket.on('error', () => socket.destroy());
  refuseRequest({ code: CONNECT }, socket);
};

/** Writes to the socket, as Node.js has no response object for such a request. */
const refuse = (socket: Socket, [code, message]: Refusal, requestId: string): void => {
  const status = httpStatusOf(code);
  const body = JSON.stringify({ error: message });
  const headers = [
    ['Date', new Date().toUTCString()],
    ['Content-Type', 'application/json; charset=utf-8'],
    ['Content-Length', Buffer.byteLength(body)],
    ['X-Request-Id', requestId],
    ['Error-Code', code],
    ...dataAnswerHeaders,
    ['Connection', 'close'],
  ].map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.join('')}\r\n${body}`);
  closeGently(socket);
};
