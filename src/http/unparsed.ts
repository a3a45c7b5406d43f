import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { newUuid } from '../uuid.ts';
import { closeGently } from './connections.ts';
import type { Pipelines } from './pipelines.ts';
import { commonHeaders } from './common-headers.ts';

/** What Node.js tells of a request that it could not parse. */
interface ParseError extends Error {
  readonly code?: string;
  /** What was read last. */
  readonly rawPacket?: Buffer;
}

const NOT_HTTP = { status: 400, message: 'The request is not valid HTTP' };
const REFUSALS = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', { status: 408, message: 'The request did not arrive in time' }],
  [
    'HPE_CHUNK_EXTENSIONS_OVERFLOW',
    { status: 413, message: 'The chunk extensions of the body are too long' },
  ],
  ['HPE_HEADER_OVERFLOW', { status: 431, message: 'The head of the request is too large' }],
]);

/** The client's request id, where it stands in what was read last. */
const requestIdIn = (packet: string): string =>
  /\r\nx-request-id:[ \t]*([\w.-]{1,64})[ \t]*\r\n/i.exec(packet)?.[1] ?? '';

/**
 * Listener for the server's `clientError` event: answers what is no HTTP request, or does not arrive, with the error object, and
 * closes the connection. Requests that the client sent before are answered first.
 *
 * @param isUsableId whether a client's request id may be given back
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
    // Of an answer that has begun, the rest would be taken for this one.
    if (current?.headersSent) {
      socket.destroy();
      return;
    }
    const { status, message } = REFUSALS.get(error.code ?? '') ?? NOT_HTTP;
    const given = String(
      current?.getHeader('X-Request-Id') ?? requestIdIn(error.rawPacket?.toString('latin1') ?? ''),
    );
    const body = JSON.stringify({ error: message });
    const headers = [
      ['Date', new Date().toUTCString()],
      ['Content-Type', 'application/json; charset=utf-8'],
      ['Content-Length', Buffer.byteLength(body)],
      ['X-Request-Id', isUsableId(given) ? given : newUuid()],
      ...commonHeaders,
      ['Connection', 'close'],
    ].map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.join('')}\r\n${body}`);
    closeGently(socket);
  };
