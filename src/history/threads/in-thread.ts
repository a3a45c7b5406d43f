import { invalid } from '../../errors/domain-error.ts';
import { fromSentError } from '../../lib/sent-error.ts';
import { startWorkers } from '../../lib/thread.ts';
import type { Doing, ThreadMessage } from './ordered.ts';

/** Events live shortly: in a smaller young generation many outlive a collection, and V8 copies them. */
export const HEAP = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 48 };

/**
 * Has a thread of its own, whose memory is bounded, do what is ordered.
 *
 * @param module of the thread, which calls `doOrdered`
 * @param order plain data
 * @throws DomainError for what the thread refuses; the signal's reason where that is aborted
 */
export const inThread = <News, Result>(
  module: URL,
  order: object,
  { signal, onNews, onDropped }: Doing<News>,
): Promise<Result> =>
  new Promise((resolve, reject) => {
    const hear = (message: ThreadMessage<News, Result>): void => {
      switch (message.kind) {
        case 'news':
          onNews(message.news);
          break;
        case 'dropped':
          onDropped(fromSentError(message.error));
          break;
        case 'done':
          resolve(message.result);
          break;
        case 'refused':
          reject(invalid(message.message));
          break;
      }
    };
    const thread = startWorkers<object, 'stop', ThreadMessage<News, Result>>(module)(order, HEAP, hear);
    const stop = () => thread.tell('stop');
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    // The promise keeps its first outcome. A thread that was stopped fails as well: then the signal's reason counts.
    void thread.ended.then((error = new Error('A thread has ended too early')) => {
      signal.removeEventListener('abort', stop);
      reject(signal.aborted ? (signal.reason as Error) : error);
    });
  });
