import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { newUuid } from '../uuid.ts';
import { closeGently } from './connections.ts';
import type { Pipelines } from './pipelines.ts';
import { securityHeaders } from './security-headers.ts';

/** What Node.js tells of a request that it could not parse. */
interface ParseError extends Error {
  readonly code?: string;
  /** What was read last. */
  readonly rawPacket?: Buffer;
}

const MESSAGES = {
  400: 'The request is not valid HTTP',
  408: 'The request did not arrive in time',
  413: 'The chunk extensions of the body are too long',
  431: 'The head of the request is too large',
} as const;

const statusOf = ({ code }: ParseError): keyof typeof MESSAGES => {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return 431;
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return 413;
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 408;
    case undefined:
    default:
      return 400;
  }
};

/** The client's request id, where it stands in what was read. */
const idIn = (head: string): string =>
  /\r\nx-request-id:[ \t]*([\w.-]{1,64})[ \t]*\r\n/i.exec(head)?.[1] ?? '';

/**
 * Answers what is no HTTP request, or does not arrive, with the error object, and closes the connection. To be heard from the server's
 * `clientError`.
 *
 * @param isUsableId whether a client's request id may be given back
 */
export const refuseUnparsed =
  ({ answering }: Pipelines, isUsableId: (given: string) => boolean) =>
  (error: ParseError, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    socket.pause();
    const due = answering(socket);
    if (due && (due.req.complete || due.headersSent)) {
      // The fault is in what follows: the answer that is due comes first, and is the last.
      if (!due.headersSent) due.setHeader('Connection', 'close');
      due.once('close', () => closeGently(socket));
      return;
    }
    const head = error.rawPacket?.toString('latin1') ?? '';
    const status = statusOf(error);
    const given = String(due?.getHeader('X-Request-Id') ?? idIn(head));
    const body = JSON.stringify({ error: MESSAGES[status] });
    const headers = [
      ['Date', new Date().toUTCString()],
      ['Content-Type', 'application/json; charset=utf-8'],
      ['Content-Length', Buffer.byteLength(body)],
      ['X-Request-Id', isUsableId(given) ? given : newUuid()],
      ['Cache-Control', 'no-store'],
      ...securityHeaders,
      ['Connection', 'close'],
    ].map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.join('')}\r\n${body}`);
    closeGently(socket);
  };
