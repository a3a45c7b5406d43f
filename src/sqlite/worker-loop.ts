import { parentPort, receiveMessageOnPort } from 'node:worker_threads';
import type { Answer, Numbered } from './worker-channel.ts';

/** Bounds how long the first of a batch waits for the last. */
const MOST_PER_BATCH = 1_000;

/**
 * The worker's side of a channel: hands over all requests that are waiting as one batch, and sends their answers when
 * the batch is done. While one batch is being synced to disk the next one gathers, which is what lets many callers
 * share one sync.
 *
 * @param handle answers each request of a batch, in order; an Error among the answers fails that one request, a throw
 *   fails all of them
 * @param close called after the last batch
 */
export const serveBatches = <Request>(
  handle: (batch: readonly Request[]) => unknown[],
  close: () => void,
): void => {
  const port = parentPort;
  if (!port) throw new Error('This module runs in a worker thread');

  port.on('message', (first: Numbered<Request> | null) => {
    const batch: Numbered<Request>[] = [];
    let message: Numbered<Request> | null | undefined = first;
    while (message) {
      batch.push(message);
      if (batch.length >= MOST_PER_BATCH) break;
      message = (receiveMessageOnPort(port) as { message: Numbered<Request> | null } | undefined)?.message;
    }
    if (batch.length > 0) port.postMessage(answer(batch, handle));
    if (message === null) {
      close();
      port.close();
    }
  });
  port.postMessage('ready');
};

const answer = <Request>(
  batch: readonly Numbered<Request>[],
  handle: (batch: readonly Request[]) => unknown[],
): Answer<unknown>[] => {
  const failed = (error: unknown) =>
    ({ ok: false, error: error instanceof Error ? error.message : String(error) }) as const;
  try {
    const replies = handle(batch.map(({ content }) => content));
    return batch.map(({ number }, index) => {
      const reply = replies[index];
      if (reply === undefined) return { number, content: failed('The writer gave no answer') };
      return { number, content: reply instanceof Error ? failed(reply) : { ok: true, reply } };
    });
  } catch (error) {
    return batch.map(({ number }) => ({ number, content: failed(error) }));
  }
};
