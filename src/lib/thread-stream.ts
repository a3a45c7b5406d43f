import { on, once } from 'node:events';
import { parentPort, Worker, type WorkerOptions } from 'node:worker_threads';

type Message<Item> = { readonly kind: 'item'; readonly item: Item } | { readonly kind: 'end' };

/** Items that are on their way; each is answered when it is taken. */
const MAX_AHEAD = 16;

const isAborted = (signal: AbortSignal): boolean => signal.aborted;

/** Whether a thread has ended because its heap was too small. */
export const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

/**
 * What a thread gives with `streamToParent`, until its end or until the signal is aborted; then the thread is ended as well.
 *
 * @throws what the thread has thrown; an error where it has ended before its last item
 */
export async function* streamOfThread<Item>(
  module: URL,
  options: WorkerOptions,
  signal: AbortSignal,
): AsyncGenerator<Item, void, undefined> {
  if (isAborted(signal)) return;
  const worker = new Worker(module, options);
  // One that comes after the end: the reader does not listen any more.
  worker.on('error', () => undefined);
  try {
    const messages = on(worker, 'message', { signal, close: ['exit'] }) as AsyncIterable<[Message<Item>]>;
    for await (const [message] of messages) {
      if (message.kind === 'end') return;
      yield message.item;
      worker.postMessage('taken');
    }
    throw new Error(`The thread ${module.pathname.replace(/^.*\//, '')} has ended too early`);
  } catch (error) {
    if (!isAborted(signal)) throw error;
  } finally {
    // Not waited for: while SQLite sorts, the thread does not hear of it.
    void worker.terminate();
  }
}

/** Gives items to the thread that has started this one, which reads them with `streamOfThread`. */
export const streamToParent = async <Item>(items: AsyncIterable<Item>): Promise<void> => {
  const port = parentPort;
  if (!port) throw new Error('This module runs in a worker thread');
  const post = (message: Message<Item>): void => port.postMessage(message);
  let ahead = 0;
  port.on('message', () => ahead--);
  const isFull = (): boolean => ahead >= MAX_AHEAD;
  for await (const item of items) {
    post({ kind: 'item', item });
    ahead++;
    while (isFull()) await once(port, 'message');
  }
  post({ kind: 'end' });
  port.close();
};
