import { parentPort, receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type { WorkerAnswer, Numbered } from './worker-channel.ts';

/** Requests, with null after the last one. */
type Message = readonly (Numbered<unknown> | null)[];

/** Bounds how long the first request of a batch waits for the last. */
const MAX_PER_BATCH = 1_000;

/** What a worker does. Methods, so that an implementation may narrow the type of its requests. */
export interface BatchWorker {
  /** Answers each request, in order; an Error among the answers fails that request, a throw all of them. */
  handle(batch: readonly unknown[]): readonly unknown[];
  /** Called after the last batch. */
  close(): void;
}

/**
 * The worker's side of a channel: handles all waiting requests as one batch. While a batch is synced to disk the next
 * one gathers, so that many callers share one sync.
 *
 * @param port where requests arrive; left out: that of this worker thread
 */
export const serveBatches = (
  worker: BatchWorker,
  port: MessagePort | null | undefined = parentPort,
): void => {
  if (!port) throw new Error('This module runs in a worker thread');

  port.on('message', (first: Message) => {
    const batch: Numbered<unknown>[] = [];
    let isLast = false;
    let message: Message | undefined = first;
    while (message) {
      for (const request of message)
        if (request) batch.push(request);
        else isLast = true;
      if (isLast || batch.length >= MAX_PER_BATCH) break;
      message = (receiveMessageOnPort(port) as { message: Message } | undefined)?.message;
    }
    if (batch.length > 0) port.postMessage(answer(batch, worker));
    if (isLast) {
      worker.close();
      port.close();
    }
  });
  port.postMessage('ready');
};

const answer = (batch: readonly Numbered<unknown>[], worker: BatchWorker): WorkerAnswer<unknown>[] => {
  const failed = (error: unknown) =>
    ({
      ok: false,
      error: error instanceof Error ? error.message : String(error),
      code:
        error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined,
    }) as const;
  try {
    const replies = worker.handle(batch.map(({ content }) => content));
    return batch.map(({ number }, index) => {
      const reply = replies[index];
      if (reply === undefined) return { number, content: failed('The writer gave no answer') };
      return { number, content: reply instanceof Error ? failed(reply) : { ok: true, reply } };
    });
  } catch (error) {
    return batch.map(({ number }) => ({ number, content: failed(error) }));
  }
};
