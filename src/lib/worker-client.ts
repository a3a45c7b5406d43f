import type { EventEmitter } from 'node:events';
import { inspect } from 'node:util';
import { Worker, type ResourceLimits } from 'node:worker_threads';
import { hasCode } from './error.ts';
import { startWatchedWorker, type HangStateListener } from './heartbeat.ts';
import { fromSerializedError } from './serialized-error.ts';
import type { MessageFromWorker, TaskProtocol, MessageToWorker } from './worker-messages.ts';

/** The worker has ended before it had done a task, which may have been carried out all the same. */
export class WorkerEndedError extends Error {
  /** @param cause the worker's error */
  constructor(cause: Error | undefined, what = 'The worker has ended') {
    super(cause ? `${what}: ${cause.message}` : what, { cause });
  }
}

interface TaskOptions<T extends TaskProtocol> {
  /** Cancels the task; its stream ends at once, without an error. */
  readonly signal?: AbortSignal | undefined;
  readonly onStatus?: ((status: T['status']) => void) | undefined;
  /** How many items may be on their way. */
  readonly window?: number;
}

interface RunningTask<T extends TaskProtocol> {
  /** The items of a stream, read once; who reads no further cancels the task. @throws as `result` */
  readonly items: () => AsyncGenerator<T['item'], void, undefined>;
  readonly post: (message: T['message']) => void;
  /** The worker ends the task by itself, if it is not done yet. */
  readonly cancel: () => void;
  /**
   * Settles once the worker does nothing for the task any more: to undefined where it was cancelled before it began. It
   * rejects with the task's error, or with `WorkerEndedError`, whose cause is the worker's.
   */
  readonly result: Promise<T['result']>;
}

export interface WorkerClient<T extends TaskProtocol> {
  /** The result of a task that is neither watched nor cancelled. */
  readonly run: (input: T['input']) => Promise<T['result']>;
  readonly start: (input: T['input'], options?: TaskOptions<T>) => RunningTask<T>;
  /** Lets the worker finish its tasks, then ends it. */
  readonly close: () => void;
  /** Resolves once it has ended: to its error where it has failed. */
  readonly ended: Promise<Error | undefined>;
  /** The process need not wait for its end any more. */
  readonly unref: () => void;
}

/** A worker thread, or what does as one does: it emits `message`, `error` and `exit`. */
interface WorkerPort extends EventEmitter {
  postMessage(messages: unknown): void;
  unref(): unknown;
}

/** A task that is not done. */
interface Pending<T extends TaskProtocol> {
  readonly items: T['item'][];
  readonly onStatus?: TaskOptions<T>['onStatus'];
  readonly resolve: (result: T['result']) => void;
  readonly reject: (error: Error) => void;
  /** Called when an item has come, and once there will be none. */
  readonly wake: () => void;
}

const WINDOW = 16;
const NOTHING = (): void => undefined;

/** What was thrown, which may not have survived the way between threads as an Error. */
const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(inspect(thrown)));

/** The side of a worker that gives it tasks; at the other one is `serveTasks`. */
export const connectWorker = <T extends TaskProtocol>(worker: WorkerPort): WorkerClient<T> => {
  const tasks = new Map<number, Pending<T>>();
  let nextId = 0;
  let hasEnded = false;
  let failure: Error | undefined;

  const settle = (id: number, act: (task: Pending<T>) => void): void => {
    const task = tasks.get(id);
    if (!task) return;
    tasks.delete(id);
    act(task);
    task.wake();
  };
  const receive = (message: MessageFromWorker<T>): void => {
    switch (message.kind) {
      case 'item':
        tasks.get(message.id)?.items.push(message.item);
        tasks.get(message.id)?.wake();
        return;
      case 'status':
        tasks.get(message.id)?.onStatus?.(message.status);
        return;
      case 'result':
        settle(message.id, ({ resolve }) => resolve(message.result));
        return;
      case 'error':
        settle(message.id, ({ reject }) => reject(fromSerializedError(message.error)));
    }
  };
  const ended = new Promise<Error | undefined>((resolve) => {
    worker
      .on('message', (messages: readonly MessageFromWorker<T>[]) => messages.forEach(receive))
      .on('error', (error) => (failure = asError(error)))
      .once('exit', () => {
        hasEnded = true;
        const error = new WorkerEndedError(failure);
        for (const id of tasks.keys()) settle(id, ({ reject }) => reject(error));
        resolve(failure);
      });
  });

  let outgoing: MessageToWorker<T>[] = [];
  const flush = (): void => {
    const messages = outgoing;
    outgoing = [];
    if (messages.length === 0) return;
    try {
      worker.postMessage(messages);
    } catch {
      // One of them cannot be copied, and fails its task alone.
      for (const message of messages)
        try {
          worker.postMessage([message]);
        } catch (error) {
          if ('id' in message) settle(message.id, ({ reject }) => reject(asError(error)));
        }
    }
  };
  /** What is sent in one turn goes over together. */
  const send = (message: MessageToWorker<T>): void => {
    if (outgoing.push(message) === 1) setImmediate(flush);
  };
  const sendNow = (message: MessageToWorker<T>): void => {
    outgoing.push(message);
    flush();
  };

  const begin = (id: number, input: T['input'], window: number, task: Pending<T>): void => {
    if (hasEnded) {
      task.reject(new WorkerEndedError(failure, 'There is no worker'));
      return;
    }
    tasks.set(id, task);
    send({ kind: 'start', id, input, window });
  };

  return {
    run: (input) =>
      new Promise((resolve, reject) => begin(nextId++, input, 1, { resolve, reject, items: [], wake: NOTHING })),
    start(input, { signal, onStatus, window = WINDOW } = {}) {
      const id = nextId++;
      const items: T['item'][] = [];
      let wake = NOTHING;
      const result = new Promise<T['result']>((resolve, reject) =>
        begin(id, input, window, { resolve, reject, items, onStatus, wake: () => wake() }),
      );
      const cancel = (): void => {
        if (tasks.has(id)) sendNow({ kind: 'cancel', id });
        wake();
      };
      if (signal) {
        signal.addEventListener('abort', cancel);
        const forget = () => signal.removeEventListener('abort', cancel);
        result.then(forget, forget);
        if (signal.aborted) cancel();
      }
      const isAborted = () => signal?.aborted === true;
      async function* read(): AsyncGenerator<T['item'], void, undefined> {
        try {
          while (!isAborted()) {
            const received = items.splice(0);
            if (received.length === 0 && !tasks.has(id)) {
              await result;
              return;
            }
            if (received.length === 0) await new Promise<void>((resolve) => (wake = resolve));
            for (const item of received) {
              yield item;
              if (isAborted()) return;
              send({ kind: 'taken', id });
            }
          }
        } finally {
          cancel();
        }
      }
      return {
        items() {
          // It is thrown to whoever reads to the end.
          result.catch(NOTHING);
          return read();
        },
        post: (message) => sendNow({ kind: 'message', id, message }),
        cancel,
        result,
      };
    },
    close: () => sendNow({ kind: 'close' }),
    ended,
    unref: () => void worker.unref(),
  };
};

interface WorkerOptions {
  readonly resourceLimits?: ResourceLimits | undefined;
  /** Called when the worker hangs, and when it answers again or has ended. Left out: it is not watched. */
  readonly onHung?: HangStateListener | undefined;
}
export type StartWorker<T extends TaskProtocol> = (options?: WorkerOptions) => WorkerClient<T>;

/** Threads that this thread has started and that still run. */
const running = new Set<Worker>();

/** Resolves when all threads that this thread has started have ended. */
export const waitForWorkers = async (): Promise<void> => {
  await Promise.all([...running].map((worker) => new Promise((resolve) => worker.once('exit', resolve))));
};

/** Starts worker threads of a module that calls `serveTasks`. */
export const createWorkerStarter =
  <T extends TaskProtocol>(module: URL): StartWorker<T> =>
  ({ resourceLimits = {}, onHung } = {}) => {
    const worker = onHung ? startWatchedWorker(module, resourceLimits, onHung) : new Worker(module, { resourceLimits });
    running.add(worker);
    worker.once('exit', () => running.delete(worker));
    return connectWorker(worker);
  };

/** Whether a worker, or a task of it, ended because its heap was too small. */
export const isOutOfMemory = (error: unknown): boolean =>
  hasCode(error, 'ERR_WORKER_OUT_OF_MEMORY') || (error instanceof Error && isOutOfMemory(error.cause));

/**
 * Has a worker thread of its own carry out a task.
 *
 * @param module of the thread, which calls `serveTasks`
 * @throws the task's error; the signal's reason where that is aborted
 */
export const runInNewWorker = async <T extends TaskProtocol>(
  module: URL,
  input: T['input'],
  { resourceLimits, ...options }: TaskOptions<T> & Pick<WorkerOptions, 'resourceLimits'>,
): Promise<T['result']> => {
  const worker = createWorkerStarter<T>(module)({ resourceLimits });
  const { result } = worker.start(input, options);
  worker.close();
  try {
    return await result;
  } finally {
    await worker.ended;
    options.signal?.throwIfAborted();
  }
};

/**
 * The items of a task that a worker thread of its own carries out, until it ends or the signal is aborted. A cancelled
 * thread ends by itself later.
 *
 * @throws the task's error, once the thread has ended
 */
export async function* streamFromNewWorker<T extends TaskProtocol>(
  module: URL,
  input: T['input'],
  { resourceLimits, ...options }: TaskOptions<T> & Pick<WorkerOptions, 'resourceLimits'>,
): AsyncGenerator<T['item'], void, undefined> {
  if (options.signal?.aborted) return;
  const worker = createWorkerStarter<T>(module)({ resourceLimits });
  const { items } = worker.start(input, options);
  worker.close();
  try {
    yield* items();
  } catch (error) {
    await worker.ended;
    throw error;
  }
}
