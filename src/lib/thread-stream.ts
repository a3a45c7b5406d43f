import { on, once } from 'node:events';
import { parentPort, receiveMessageOnPort, Worker, type WorkerOptions } from 'node:worker_threads';

type Message<Item> = { readonly kind: 'item'; readonly item: Item } | { readonly kind: 'end' };
/** What the reader says: that it has taken an item, or that it wants no more. */
type Answer = 'taken' | 'leave';

/** Items that are on their way; each is answered when it is taken. */
const MAX_AHEAD = 16;

const isAborted = (signal: AbortSignal): boolean => signal.aborted;

/** Whether a thread has ended because its heap was too small. */
export const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

/** The threads that this one has started and that still run. */
const running = new Set<Worker>();

const startThread = (module: URL, options: WorkerOptions): Worker => {
  const worker = new Worker(module, options);
  // One that comes after the end: the reader does not listen any more.
  worker.on('error', () => undefined);
  running.add(worker);
  worker.once('exit', () => running.delete(worker));
  return worker;
};

/**
 * Resolves when the threads whose streams were read here have ended. A thread that fails waits for it: Node would end them with
 * it, and libsql ends the process where its thread is ended meanwhile.
 */
export const threadsEnded = async (): Promise<void> => {
  await Promise.all([...running].map((worker) => new Promise((resolve) => worker.once('exit', resolve))));
};

/**
 * What a thread gives with `streamToParent`, until its end or until the signal is aborted; then the thread is told to end. It does so
 * by itself, as soon as it hears of it, and this one does not end before.
 *
 * @throws what the thread has thrown; an error where it has ended before its last item
 */
export async function* streamOfThread<Item>(
  module: URL,
  options: WorkerOptions,
  signal: AbortSignal,
): AsyncGenerator<Item, void, undefined> {
  if (isAborted(signal)) return;
  const worker = startThread(module, options);
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

/**
 * Gives items to the thread that has started this one, which reads them with `streamOfThread`.
 *
 * @param read given a signal that is aborted when no more are wanted
 */
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
    // What the reader says before the first item can only be that it wants none.
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
