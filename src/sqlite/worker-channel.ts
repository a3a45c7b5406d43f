import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { EventEmitter } from 'node:events';
import { backoff } from '../lib/backoff.ts';

/** A message of the channel; the number matches an answer to its request. */
export interface Numbered<T> {
  readonly number: number;
  readonly content: T;
}
export type WorkerAnswer<Reply> = Numbered<
  | { readonly ok: true; readonly reply: Reply }
  /** The code is that of the error, if it had one. */
  | { readonly ok: false; readonly error: string; readonly code?: string | undefined }
>;

export class WorkerFailure extends Error {
  readonly code: string | undefined;

  constructor(message: string, code: string | undefined) {
    super(message);
    this.code = code;
  }
}

/** The worker has ended; the request may have been carried out all the same. */
export class WorkerEnded extends Error {}

export interface WorkerChannel<Request, Reply> {
  /**
   * @throws WorkerFailure when the worker failed at the request
   * @throws WorkerEnded when the worker ends before it answers, or while there is none
   */
  ask(request: Request): Promise<Reply>;
  /** Lets the worker finish its requests, then ends it. */
  close(): Promise<void>;
}

/** A worker thread, or what does as one does: it emits `message`, `error` and `exit`. */
export interface BatchThread extends EventEmitter {
  postMessage(message: unknown): void;
}

export interface WorkerEvents {
  /** Called when the worker has ended or could not be started again; it is then started again. */
  readonly onEnded?: ((error: Error) => void) | undefined;
  /** Called when the worker has started again. */
  readonly onStarted?: (() => void) | undefined;
}

const MIN_PAUSE_MS = 50;
const MAX_PAUSE_MS = 5_000;

/** What a worker threw, which may not have survived the way between threads as an Error. */
const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(inspect(thrown)));

/** Resolves once a new worker has said that it is ready. */
const isReady = async (worker: BatchThread): Promise<void> => {
  try {
    await new Promise<void>((resolve, reject) => {
      worker
        .once('message', () => resolve())
        .once('error', (error) => reject(asError(error)))
        .once('exit', () => reject(new WorkerEnded('The worker has ended before it was ready')));
    });
  } finally {
    worker.removeAllListeners('error').removeAllListeners('exit');
  }
};

/**
 * Starts a worker thread. One that ends by itself is started again, after pauses that grow until a worker has answered.
 *
 * @throws what keeps the first worker from starting
 */
export const openWorker = async <Request, Reply>(
  spawn: () => BatchThread,
  { onEnded, onStarted }: WorkerEvents = {},
): Promise<WorkerChannel<Request, Reply>> => {
  const waiting = new Map<number, { resolve: (reply: Reply) => void; reject: (error: Error) => void }>();
  let asked: Numbered<Request>[] = [];
  let next = 0;
  let failures = 0;
  let worker: BatchThread | undefined;
  const closing = new AbortController();
  const { signal } = closing;

  const receive = (answers: readonly WorkerAnswer<Reply>[]): void => {
    failures = 0;
    for (const { number, content } of answers) {
      const asker = waiting.get(number);
      waiting.delete(number);
      if (content.ok) asker?.resolve(content.reply);
      else asker?.reject(new WorkerFailure(content.error, content.code));
    }
  };
  /** Resolves with the reason when the worker has ended. */
  const serve = (started: BatchThread): Promise<WorkerEnded> =>
    new Promise((resolve) => {
      let cause: Error | undefined;
      worker = started;
      started
        .on('message', receive)
        .on('error', (error) => (cause = asError(error)))
        .once('exit', () => {
          worker = undefined;
          const ended = new WorkerEnded('The worker has ended', { cause });
          for (const { reject } of waiting.values()) reject(ended);
          waiting.clear();
          asked = [];
          resolve(ended);
        });
      if (signal.aborted) started.postMessage([null]);
    });
  const startAgain = async (): Promise<BatchThread | undefined> => {
    for (;;) {
      await delay(backoff(failures++, MIN_PAUSE_MS, MAX_PAUSE_MS), undefined, { signal }).catch(
        () => undefined,
      );
      if (signal.aborted) return undefined;
      try {
        const started = spawn();
        await isReady(started);
        return started;
      } catch (error) {
        onEnded?.(asError(error));
      }
    }
  };
  const keepRunning = async (first: BatchThread): Promise<void> => {
    for (let started: BatchThread | undefined = first; started;) {
      const ended = await serve(started);
      if (signal.aborted) return;
      onEnded?.(ended);
      started = await startAgain();
      if (started) onStarted?.();
    }
  };

  const first = spawn();
  await isReady(first);
  const running = keepRunning(first);

  const send = (): void => {
    const batch = asked;
    asked = [];
    if (batch.length === 0) return;
    try {
      worker?.postMessage(batch);
    } catch (error) {
      for (const { number } of batch) {
        waiting.get(number)?.reject(asError(error));
        waiting.delete(number);
      }
    }
  };

  return {
    ask: (content) =>
      new Promise((resolve, reject) => {
        if (!worker || signal.aborted) {
          reject(new WorkerEnded('There is no worker'));
          return;
        }
        const number = next++;
        waiting.set(number, { resolve, reject });
        // All requests of one turn go over in one message: a message costs more than its content.
        if (asked.push({ number, content }) === 1) setImmediate(send);
      }),
    async close() {
      closing.abort();
      send();
      worker?.postMessage([null]);
      await running;
    },
  };
};
