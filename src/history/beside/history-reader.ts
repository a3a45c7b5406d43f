import { Worker } from 'node:worker_threads';
import { DomainError } from '../../errors/domain-error.ts';
import { StoreUnavailable } from '../../errors/store-unavailable.ts';
import type { Moment } from '../moment/moment.ts';
import type { FromHistory, HistoryThreadData, NoAnswer, QuestionAsked, ToHistory } from './messages.ts';

/** An answer that has begun. */
export interface BegunAnswer {
  /** Of events: the moment up to which they were looked for. */
  readonly upTo: Moment | undefined;
  readonly pieces: AsyncIterable<string>;
}

/** Answers questions about the history in a thread of its own, so that other requests do not wait for them. */
export interface HistoryReader {
  /**
   * @param signal ends the answer: aborted by whoever reads no more of it, also of one that is not begun to be read
   * @throws DomainError for a refusal
   * @throws StoreUnavailable when a store cannot be read now, or the thread has ended
   */
  ask(question: QuestionAsked, signal: AbortSignal): Promise<BegunAnswer>;
  stop(): Promise<void>;
}

/** A question under way. */
interface Asked {
  /** Hears the message that is waited for. */
  hear: (message: FromHistory) => void;
  fail: (error: Error) => void;
  /** The thread has ended. */
  ended: Error | undefined;
}

/** Of the thread: one large answer takes this much, and not the memory of the service. */
const HEAP_MB = 256;

const errorOf = (because: NoAnswer): Error => {
  switch (because.kind) {
    case 'refused':
      return new DomainError(because.reason, because.message, because.retryAfter);
    case 'unavailable':
      return new StoreUnavailable('The history cannot be read now', { cause: new Error(because.message) });
    case 'failed':
      return new Error(`A question about the history failed: ${because.message}`);
  }
};

/**
 * Makes what answers questions. Its thread starts with the first one; where it ends by itself, the questions under way
 * fail, and the next one starts another.
 */
export const createHistoryReader = (
  data: HistoryThreadData,
  { onDropped }: { readonly onDropped: (error: unknown) => void },
): HistoryReader => {
  const asked = new Map<number, Asked>();
  let next = 0;
  let thread: Worker | undefined;
  let ended: Promise<void> = Promise.resolve();
  let isStopping = false;

  const start = (): Worker => {
    const started = new Worker(new URL('./history-thread.js', import.meta.url), {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    let cause: unknown;
    started.on('message', (message: FromHistory) => {
      if (message.kind === 'dropped') {
        onDropped(message.error);
        return;
      }
      const { kind, number } = message;
      const one = asked.get(number);
      // The last message about a question.
      if (kind === 'end' || kind === 'none') asked.delete(number);
      one?.hear(message);
    });
    started.on('error', (error) => (cause = error));
    ended = new Promise((resolve) =>
      started.once('exit', () => {
        thread = undefined;
        const error = new StoreUnavailable('The thread of the history has ended', { cause });
        for (const one of asked.values()) {
          one.ended = error;
          one.fail(error);
        }
        asked.clear();
        resolve();
      }),
    );
    return started;
  };
  const tell = (message: ToHistory): void => thread?.postMessage(message);

  /** Tells the thread something, and gives its next message about a question. */
  const answerTo = (one: Asked, message: ToHistory): Promise<FromHistory> =>
    new Promise((resolve, reject) => {
      if (one.ended) {
        reject(one.ended);
        return;
      }
      one.hear = resolve;
      one.fail = reject;
      tell(message);
    });

  async function* piecesOf(number: number, one: Asked): AsyncGenerator<string, void, undefined> {
    try {
      for (;;) {
        const message = await answerTo(one, { kind: 'next', number });
        if (message.kind === 'none') throw errorOf(message.because);
        if (message.kind !== 'piece') return;
        yield message.text;
      }
    } finally {
      tell({ kind: 'leave', number });
    }
  }

  return {
    async ask(question, signal) {
      signal.throwIfAborted();
      if (isStopping) throw new StoreUnavailable('The service is stopping');
      thread ??= start();
      const number = next++;
      const one: Asked = { hear: () => undefined, fail: () => undefined, ended: undefined };
      asked.set(number, one);
      signal.addEventListener('abort', () => tell({ kind: 'leave', number }), { once: true });
      const message = await answerTo(one, { kind: 'ask', number, question });
      if (message.kind === 'none') throw errorOf(message.because);
      return { upTo: message.kind === 'begun' ? message.upTo : undefined, pieces: piecesOf(number, one) };
    },
    async stop() {
      isStopping = true;
      tell({ kind: 'stop' });
      await ended;
    },
  };
};
