import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The requests of a connection, answered one at a time in the order in which the client sent them. */
interface Pipeline {
  current: ServerResponse | undefined;
  waiting: ServerResponse[];
  /** The one received last, answered or not. */
  last: IncomingMessage | undefined;
}

/** More waiting requests close a connection: each takes memory, and only a hostile client sends so many. */
export const MAX_WAITING = 100;

const pipelines = new WeakMap<Socket, Pipeline>();

const pipelineOf = (socket: Socket): Pipeline => {
  const known = pipelines.get(socket);
  if (known) return known;
  const pipeline: Pipeline = { current: undefined, waiting: [], last: undefined };
  pipelines.set(socket, pipeline);
  socket.once('close', () => (pipeline.waiting = []));
  // Node.js resumes the socket after each answer.
  socket.on('resume', () => {
    if (pipeline.waiting.length > 0) socket.pause();
  });
  return pipeline;
};

/** The answer that the client waits for or reads; undefined when none is due. */
export const currentResponse = (socket: Socket): ServerResponse | undefined => {
  const pipeline = pipelines.get(socket);
  return pipeline?.current ?? pipeline?.waiting[0];
};

/** The request received last on a connection, answered or not. */
export const lastRequest = (socket: Socket): IncomingMessage | undefined => pipelines.get(socket)?.last;

/** Drops requests that have not arrived whole, once no more can be read. @returns the last answer still due */
export const dropIncomplete = (socket: Socket): ServerResponse | undefined => {
  const pipeline = pipelines.get(socket);
  if (!pipeline) return undefined;
  pipeline.waiting = pipeline.waiting.filter(({ req }) => req.complete);
  const { current, waiting } = pipeline;
  return waiting.at(-1) ?? (current?.req.complete ? current : undefined);
};

/**
 * Has a handler answer the requests of each connection one after the other. While some wait, the service reads no more
 * from the connection: a client that does not read its answers takes up one answer here and fills its own buffers (back
 * pressure). Other connections have their turn in between.
 */
export const inOrder = (handler: RequestListener): RequestListener => {
  const answer = (pipeline: Pipeline, response: ServerResponse): void => {
    pipeline.current = response;
    const { socket } = response.req;
    response.once('close', () => {
      pipeline.current = undefined;
      if (pipeline.waiting.length > 0) setImmediate(answerNext, pipeline, socket);
    });
    handler(response.req, response);
  };

  const answerNext = (pipeline: Pipeline, socket: Socket): void => {
    // After an answer that ends the connection no request runs (RFC 9112, 9.6).
    const next = socket.writable ? pipeline.waiting.shift() : undefined;
    if (!next) return;
    if (pipeline.waiting.length === 0) socket.resume();
    answer(pipeline, next);
  };

  return (request, response) => {
    const { socket } = request;
    // Parsed after a request whose answer ends the connection.
    if (!socket.writable) return;
    const pipeline = pipelineOf(socket);
    pipeline.last = request;
    if (!currentResponse(socket)) {
      answer(pipeline, response);
    } else if (pipeline.waiting.length < MAX_WAITING) {
      pipeline.waiting.push(response);
      socket.pause();
    } else {
      socket.destroy();
    }
  };
};
