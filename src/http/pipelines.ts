import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The requests of a connection, answered one at a time in the order in which the client sent them. */
interface Pipeline {
  current: ServerResponse | undefined;
  waiting: (readonly [IncomingMessage, ServerResponse])[];
  /** Closes an idle connection: Node.js would keep it alive for a blank line. */
  readonly idle: NodeJS.Timeout;
}

/** More waiting requests close a connection: each takes memory, and only a hostile client sends so many. */
export const MAX_WAITING = 100;
/** Longer than Node.js waits on an idle connection plus for headers. */
const IDLE_MS = 20_000;

export interface Pipelines {
  /** Hands on each request once the answer before it has been sent. */
  readonly listener: RequestListener;
  readonly hasSentRequest: (socket: Socket) => boolean;
  /** The answer that the client waits for or reads; undefined when none is due. */
  readonly currentResponse: (socket: Socket) => ServerResponse | undefined;
  /** Drops requests that have not arrived whole, once no more can be read. @returns the last answer still due */
  readonly dropIncomplete: (socket: Socket) => ServerResponse | undefined;
}

const due = ({ current, waiting }: Pipeline): ServerResponse | undefined => current ?? waiting[0]?.[1];

/**
 * Answers the requests of each connection one after the other. While some wait, the service reads no more from the
 * connection: a client that does not read its answers takes up one answer here and fills its own buffers (back
 * pressure). Other connections have their turn in between.
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
    // Node.js resumes the socket after each answer.
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
    // After an answer that ends the connection no request runs (RFC 9112, 9.6).
    const next = socket.writable ? pipeline.waiting.shift() : undefined;
    if (!next) return;
    if (pipeline.waiting.length === 0) socket.resume();
    answer(pipeline, ...next);
  };

  return {
    listener(request, response) {
      const { socket } = request;
      // Parsed after a request whose answer ends the connection.
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
