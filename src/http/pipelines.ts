import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What a connection has to answer: one request at a time, in the order in which the client sent them. */
interface Pipeline {
  current: ServerResponse | undefined;
  waiting: (readonly [IncomingMessage, ServerResponse])[];
  /** Closes the connection when no request comes: Node.js takes a blank line for a sign of life. */
  readonly idle: NodeJS.Timeout;
}

/** Requests of one connection that wait. Each takes memory, and only a hostile client sends so many ahead. */
export const MAX_WAITING = 100;
/** Longer than Node.js keeps an idle connection, and gives a client for the headers after that. */
const IDLE_MS = 20_000;

export interface Pipelines {
  /** Hands a connection's requests on, each when the answer before it has been sent. */
  readonly listener: RequestListener;
  readonly hasSentRequest: (socket: Socket) => boolean;
  /** The answer that the connection waits for or takes; undefined where none is due. */
  readonly currentResponse: (socket: Socket) => ServerResponse | undefined;
  /**
   * Lets go of requests that have not arrived whole, since no more can be read from the connection.
   *
   * @returns the last answer that is still due
   */
  readonly dropIncomplete: (socket: Socket) => ServerResponse | undefined;
}

/** The answer that comes next. */
const due = ({ current, waiting }: Pipeline): ServerResponse | undefined => current ?? waiting[0]?.[1];

/**
 * Answers the requests of each connection one after the other. While some wait, no more are read from it: a client that
 * sends requests and does not read the answers holds one answer, and fills its own buffers (back pressure). Other connections
 * have their turn between two of them. A connection on which more than 100 wait is closed.
 */
export const createPipelines = (handler: RequestListener): Pipelines => {
  const pipelines = new WeakMap<Socket, Pipeline>();

  const pipelineOf = (socket: Socket): Pipeline => {
    const known = pipelines.get(socket);
    if (known) return known;
    const closeIdle = () => {
      if (!due(pipeline)) socket.destroy();
    };
    const idle = setTimeout(closeIdle, IDLE_MS).unref();
    const pipeline: Pipeline = { current: undefined, waiting: [], idle };
    pipelines.set(socket, pipeline);
    socket.once('close', () => {
      clearTimeout(pipeline.idle);
      pipeline.waiting = [];
    });
    // Node.js lets the socket flow again after each answer.
    socket.on('resume', () => {
      if (pipeline.waiting.length > 0) socket.pause();
    });
    return pipeline;
  };

  const answer = (pipeline: Pipeline, request: IncomingMessage, response: ServerResponse): void => {
    pipeline.current = response;
    const { socket } = request;
    response.once('close', () => {
      pipeline.current = undefined;
      if (pipeline.waiting.length > 0) setImmediate(answerNext, pipeline, socket);
      else if (!socket.destroyed) pipeline.idle.refresh();
    });
    handler(request, response);
  };

  const answerNext = (pipeline: Pipeline, socket: Socket): void => {
    // After an answer that ends the connection no request is carried out (RFC 9112, 9.6).
    const next = socket.writable ? pipeline.waiting.shift() : undefined;
    if (!next) return;
    if (pipeline.waiting.length === 0) socket.resume();
    answer(pipeline, ...next);
  };

  return {
    listener(request, response) {
      const { socket } = request;
      // It was parsed behind one whose answer ends the connection.
      if (!socket.writable) return;
      const pipeline = pipelineOf(socket);
      if (!due(pipeline)) {
        answer(pipeline, request, response);
      } else if (pipeline.waiting.length < MAX_WAITING) {
        pipeline.waiting.push([request, response]);
        socket.pause();
      } else {
        socket.destroy();
      }
    },
    hasSentRequest: (socket) => pipelines.has(socket),
    currentResponse: (socket) => {
      const pipeline = pipelines.get(socket);
      return pipeline && due(pipeline);
    },
    dropIncomplete: (socket) => {
      const pipeline = pipelines.get(socket);
      if (!pipeline) return undefined;
      pipeline.waiting = pipeline.waiting.filter(([request]) => request.complete);
      const { current, waiting } = pipeline;
      return waiting.at(-1)?.[1] ?? (current?.req.complete ? current : undefined);
    },
  };
};
