import { on, once } from 'node:events';
import { parentPort, receiveMessageOnPort, Worker, type WorkerOptions } from 'node:worker_threads';

type Message<Item> = { readonly kind: 'item'; readonly item: Item } | { readonly kind: 'end' };
/** The reader has taken an item, or reads no more. */
type Answer = 'taken' | 'leave';

/** Items sent and not yet taken by the reader. */
const MAX_AHEAD = 16;

const isAborted = (signal: AbortSignal): boolean => signal.aborted;

/** Whether a thread ended because its heap was too small. */
export const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

/** Threads that this thread has started and that still run. */
const running = new Set<Worker>();

/**
 * Resolves when the threads that this thread reads from have ended. A failing thread awaits this: Node would end them
 * with it, and libsql ends the process when its thread is ended from outside.
 */
export const threadsEnded = async (): Promise<void> => {
  await Promise.all([...running].map((worker) => new Promise((resolve) => worker.once('exit', resolve))));
};

/**
 * The items that a thread sends with `streamToParent`, until it ends or the signal is aborted. Told of that, the thread
 * ends by itself; `threadsEnded` waits for it.
 *
 * @throws the thread's error, or one if it ended before its last item
 */
export async function* streamOfThread<Item>(
  module: URL,
  options: WorkerOptions,
  signal: AbortSignal,
): AsyncGenerator<Item, void, undefined> {
  if (isAborted(signal)) return;
  const worker = new Worker(module, options);
  // Ignores an error after the end, when the reader no longer listens.
  worker.on('error', () => undefined);
  running.add(worker);
  worker.once('exit', () => running.delete(worker));
  const answer = (what: Answer): void => worker.postMessage(what);
  try {
    const messages = on(worker, 'message', { signal, close: ['exit'] }) as AsyncIterable<[Message<Item>]>;
    for await (const [message] of messages) {
      if (message.kind === 'end') return;
      yield message.item;
      answer('taken');
    }
    throw new Error(`The thread ${module.pathname.replace(/^.*\//, '')} has ended too early`);
  } catch (error) {
    if (!isAborted(signal)) throw error;
  } finally {
    answer('leave');
  }
}

/** Sends items to the `streamOfThread` of the parent thread, and aborts the signal when that reads no more. */
export const streamToParent = async <Item>(
  read: (signal: AbortSignal) => AsyncIterable<Item>,
): Promise<void> => {
  const port = parentPort;
  if (!port) throw new Error('This module runs in a worker thread');
  const post = (message: Message<Item>): void => port.postMessage(message);
  const leaving = new AbortController();
  const { signal } = leaving;
  let ahead = 0;
  port.on('message', (answer: Answer) => {
    if (answer === 'taken') ahead--;
    else leaving.abort();
  });
  const isFull = (): boolean => ahead >= MAX_AHEAD && !signal.aborted;
  try {
    // Before the first item, the reader can only say that it reads none.
    if (receiveMessageOnPort(port)) return;
    for await (const item of read(signal)) {
      post({ kind: 'item', item });
      ahead++;
      while (isFull()) await once(port, 'message');
      if (isAborted(signal)) return;
    }
    post({ kind: 'end' });
  } finally {
    await threadsEnded();
    port.close();
  }
};
