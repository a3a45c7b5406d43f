import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { memoizeByIdentity } from '../../lib/memoize-by-identity.ts';

/** The requests of a connection, answered one at a time in the order in which the client sent them. */
interface Pipeline {
  /** Answers that are due; the first is being given, or is the next. */
  readonly due: ServerResponse[];
  /** The one received last, answered or not. */
  last: IncomingMessage | undefined;
}

/** With more the service reads no more from the connection, and so does not notice that a client has gone. */
const MAX_DUE = 2;
/** More waiting requests close a connection: each takes memory, and only a hostile client sends so many. */
export const MAX_WAITING_REQUESTS = 100;

const pipelineOf = memoizeByIdentity((socket: Socket): Pipeline => {
  const pipeline: Pipeline = { due: [], last: undefined };
  socket.once('close', () => pipeline.due.splice(0));
  // Node.js resumes the socket after each answer.
  socket.on('resume', () => {
    if (pipeline.due.length > MAX_DUE) socket.pause();
  });
  return pipeline;
});

/** The answer that the client waits for or reads; undefined when none is due. */
export const currentResponse = (socket: Socket): ServerResponse | undefined => pipelineOf(socket).due[0];

/** The request received last on a connection, answered or not. */
export const lastRequest = (socket: Socket): IncomingMessage | undefined => pipelineOf(socket).last;

/** Drops a waiting request that has not arrived whole, once no more can be read. @returns the last answer still due */
export const dropIncompleteRequest = (socket: Socket): ServerResponse | undefined => {
  const { due } = pipelineOf(socket);
  if (due.length > 1 && !due.at(-1)?.req.complete) due.pop();
  return due.at(-1)?.req.complete ? due.at(-1) : undefined;
};

/**
 * Has a handler answer the requests of each connection one after the other. While more than one waits, the service
 * reads no more from the connection (back pressure): a client that does not read its answers costs one answer of memory
 * here. Other connections have their turn in between.
 */
export const answerInOrder = (handler: RequestListener): RequestListener => {
  const answerFirst = (due: ServerResponse[], socket: Socket): void => {
    // After an answer that ends the connection no request runs (RFC 9112, 9.6).
    const response = socket.writable ? due[0] : undefined;
    if (!response) return;
    if (due.length <= MAX_DUE && socket.isPaused()) socket.resume();
    response.once('close', () => {
      due.shift();
      if (due.length > 0) setImmediate(answerFirst, due, socket);
    });
    handler(response.req, response);
  };

  return (request, response) => {
    const { socket } = request;
    // Parsed after a request whose answer ends the connection.
    if (!socket.writable) return;
    const pipeline = pipelineOf(socket);
    pipeline.last = request;
    const waiting = pipeline.due.push(response) - 1;
    if (waiting === 0) answerFirst(pipeline.due, socket);
    else if (waiting > MAX_WAITING_REQUESTS) socket.destroy();
    else if (waiting >= MAX_DUE) socket.pause();
  };
};
