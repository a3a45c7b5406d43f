import { inspect } from 'node:util';
import { Worker } from 'node:worker_threads';

/** What goes over the channel: requests are numbered, several answers may come in one message. */
export interface Numbered<T> {
  readonly number: number;
  readonly content: T;
}
export type Answer<Reply> = Numbered<
  { readonly ok: true; readonly reply: Reply } | { readonly ok: false; readonly error: string }
>;

export interface WorkerChannel<Request, Reply> {
  /** Rejects when the worker failed at it, or is gone. */
  ask(request: Request): Promise<Reply>;
  /** Lets the worker finish what it was given, then ends it. */
  close(): Promise<void>;
}

/** What a worker threw, as far as it survived the way here. */
const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(inspect(thrown)));

/**
 * Starts a worker thread and gives a way to ask it things.
 *
 * @param script the worker's module, as built
 */
export const openWorker = async <Request, Reply>(
  script: URL,
  workerData: unknown,
): Promise<WorkerChannel<Request, Reply>> => {
  const worker = new Worker(script, { workerData });
  const waiting = new Map<number, { resolve: (reply: Reply) => void; reject: (error: Error) => void }>();
  let next = 0;
  let gone: Error | undefined;

  const fail = (error: Error) => {
    gone ??= error;
    for (const { reject } of waiting.values()) reject(gone);
    waiting.clear();
  };
  const exited = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      fail(new Error('The writer has stopped'));
      resolve();
    });
  });
  await new Promise<void>((resolve, reject) => {
    worker.once('error', (error) => reject(asError(error)));
    worker.once('message', resolve);
  });
  worker.removeAllListeners('error').on('error', (error) => fail(asError(error)));
  worker.on('message', (answers: readonly Answer<Reply>[]) => {
    for (const { number, content } of answers) {
      const asker = waiting.get(number);
      waiting.delete(number);
      if (content.ok) asker?.resolve(content.reply);
      else asker?.reject(new Error(content.error));
    }
  });

  let asked: Numbered<Request>[] = [];
  const send = () => {
    const batch = asked;
    asked = [];
    if (batch.length === 0 || gone) return;
    try {
      worker.postMessage(batch);
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
        if (gone) {
          reject(gone);
          return;
        }
        const number = next++;
        waiting.set(number, { resolve, reject });
        // All that is asked in one turn goes over in one message: a message costs more than what is in it.
        if (asked.push({ number, content }) === 1) setImmediate(send);
      }),
    close: async () => {
      send();
      if (!gone) worker.postMessage([null]);
      await exited;
    },
  };
};
