import { parentPort, workerData } from 'node:worker_threads';
import { DomainError } from '../../errors/domain-error.ts';
import { UnusableFile } from '../../errors/unusable-file.ts';
import { plainError, toSentError, type SentError } from '../../lib/sent-error.ts';

/** How something that takes long is told to stop, and whom it tells how far it is. */
export interface Doing<News> {
  readonly signal: AbortSignal;
  readonly onNews: (news: News) => void;
  /** Told that a subscription was dropped; it resumes by itself. */
  readonly onDropped: (error: unknown) => void;
}

export type ThreadMessage<News, Result> =
  | { readonly kind: 'news'; readonly news: News }
  | { readonly kind: 'dropped'; readonly error: SentError }
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'refused'; readonly message: string };

/** What a thread runs. @param order plain data */
export type RunOrder<Order, News, Result> = (order: Order, doing: Doing<News>) => Promise<Result>;

/** Does in this thread what `inThread` has ordered, and tells it how that goes. */
export const doOrdered = async <Order, News, Result>(run: RunOrder<Order, News, Result>): Promise<void> => {
  const port = parentPort;
  if (!port) throw new Error('This module runs in a worker thread');
  const post = (message: ThreadMessage<News, Result>): void => port.postMessage(message);
  const stopping = new AbortController();
  port.once('message', () => stopping.abort(new Error('The thread was stopped')));
  try {
    const result = await run(workerData as Order, {
      signal: stopping.signal,
      onNews: (news) => post({ kind: 'news', news }),
      onDropped: (error) => post({ kind: 'dropped', error: toSentError(error) }),
    });
    post({ kind: 'done', result });
  } catch (error) {
    if (!(error instanceof DomainError || error instanceof UnusableFile)) throw plainError(error);
    post({ kind: 'refused', message: error.message });
  } finally {
    port.close();
  }
};
