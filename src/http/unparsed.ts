import { STATUS_CODES, type IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { newUuid } from '../lib/uuid.ts';
import { closeGently } from './connections.ts';
import type { Pipelines } from './pipelines.ts';
import { commonHeaders } from './common-headers.ts';

interface ParseError extends Error {
  readonly code?: string;
  /** The bytes read last. */
  readonly rawPacket?: Buffer;
}

const NOT_HTTP = { status: 400, message: 'The request is not valid HTTP' };
const NO_TUNNEL = { status: 400, message: 'The method CONNECT opens no tunnel here' };
const REFUSALS = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', { status: 408, message: 'The request did not arrive in time' }],
  [
    'HPE_CHUNK_EXTENSIONS_OVERFLOW',
    { status: 413, message: 'The chunk extensions of the body are too long' },
  ],
  ['HPE_HEADER_OVERFLOW', { status: 431, message: 'The head of the request is too large' }],
]);

/** The client's request id, if it is in the bytes read last. */
const requestIdIn = (packet: string): string =>
  /\r\nx-request-id:[ \t]*([\w.-]{1,64})[ \t]*\r\n/i.exec(packet)?.[1] ?? '';

/**
 * Listener for the server's `clientError` event: after earlier requests, answers one that is not HTTP or does not
 * arrive in time with the error object, and closes the connection.
 *
 * @param isUsableId whether an answer may repeat a client's request id
 */
export const refuseUnparsed =
  ({ currentResponse, dropIncomplete }: Pipelines, isUsableId: (given: string) => boolean) =>
  (error: ParseError, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    socket.pause();
    const last = dropIncomplete(socket);
    const current = currentResponse(socket);
    if (last) {
      if (last.headersSent) last.once('close', () => closeGently(socket));
      else last.setHeader('Connection', 'close');
      return;
    }
    // The client would take this for the rest of the answer that has begun.
    if (current?.headersSent) {
      socket.destroy();
      return;
    }
    const given = String(
      current?.getHeader('X-Request-Id') ?? requestIdIn(error.rawPacket?.toString('latin1') ?? ''),
    );
    refuse(socket, REFUSALS.get(error.code ?? '') ?? NOT_HTTP, isUsableId(given) ? given : newUuid());
  };

/** Listener for the server's `connect` event: answers earlier requests, then refuses, since the service is no proxy. */
export const refuseConnect =
  ({ dropIncomplete }: Pipelines) =>
  (_request: IncomingMessage, socket: Duplex): void => {
    if (!(socket instanceof Socket)) return;
    socket.on('error', () => socket.destroy());
    const refuseIt = () => refuse(socket, NO_TUNNEL, newUuid());
    const last = dropIncomplete(socket);
    if (last) last.once('close', refuseIt);
    else refuseIt();
  };

/** Writes to the socket, as Node.js has no response object for such a request. */
const refuse = (socket: Socket, { status, message }: typeof NOT_HTTP, requestId: string): void => {
  const body = JSON.stringify({ error: message });
  const headers = [
    ['Date', new Date().toUTCString()],
    ['Content-Type', 'application/json; charset=utf-8'],
    ['Content-Length', Buffer.byteLength(body)],
    ['X-Request-Id', requestId],
    ...commonHeaders,
    ['Connection', 'close'],
  ].map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.join('')}\r\n${body}`);
  closeGently(socket);
};
