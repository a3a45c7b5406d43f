import { setTimeout as delay } from 'node:timers/promises';
import { unavailable } from '../../errors/domain-error.ts';
import { StoreUnavailable } from '../../errors/store-unavailable.ts';
import type { OnHung } from '../../lib/heartbeat.ts';
import { fromSentError } from '../../lib/sent-error.ts';
import { startWorkers, type StartThread, type Thread } from '../../lib/thread.ts';
import type { Moment } from '../moment/moment.ts';
import { maskBy, noMask } from '../moment/mask.ts';
import type { FromHistory, HistoryThreadData, QuestionAsked, ToHistory } from './messages.ts';
import { errorOf } from './no-answer.ts';

export interface BegunAnswer {
  /** Of an answer that is no JSON object: the moment that it was made at. */
  readonly upTo: Moment | undefined;
  /** Tells its masks from those of another secret. */
  readonly masks: string;
  readonly pieces: AsyncIterable<string>;
  /** Resolves once the thread does nothing for it any more. */
  readonly over: Promise<void>;
}

export type StartHistory = StartThread<HistoryThreadData, ToHistory, FromHistory>;

const startHistoryWorker: StartHistory = startWorkers(new URL('./history.thread.js', import.meta.url));

/** Answers questions about the history in a thread of its own, so that other requests do not wait for them. */
export interface HistoryReader {
  /**
   * @param signal ends the answer: aborted by whoever reads no more of it, also of one that is not begun to be read
   * @throws DomainError for a refusal
   * @throws StoreUnavailable when a store cannot be read now, or the thread has ended or hangs
   */
  ask(question: QuestionAsked, signal: AbortSignal): Promise<BegunAnswer>;
  stop(): Promise<void>;
}

/** A question under way. */
interface Asked {
  /** Hears the message that is waited for. */
  hear: (message: FromHistory) => void;
  fail: (error: Error) => void;
  /** The last message about it, or why none will come: heard by whoever listens later. */
  last: FromHistory | Error | undefined;
  over: () => void;
}

/** How long a thread is waited for that is to end; longer than it takes to see that it hangs. */
const STOP_MS = 12_000;
/** Of the thread: one large answer takes this much, and not the memory of the service. */
const HEAP_MB = 256;

export interface HistoryReaderOptions {
  /** A subscription of the event log was dropped; it resumes by itself. */
  readonly onDropped: (error: unknown) => void;
  /** The thread has ended by itself; the next question starts another one. */
  readonly onEnded: (reason: Error) => void;
  /** The thread hangs, or answers again: meanwhile questions fail at once. */
  readonly onHung: OnHung;
  /** Left out: a worker thread. */
  readonly startThread?: StartHistory | undefined;
}

const unanswered = (): StoreUnavailable => new StoreUnavailable('The thread of the history does not answer');

/**
 * The thread starts with the first question; where it ends by itself, the questions under way fail, and the next one
 * starts another.
 */
export const createHistoryReader = (
  data: HistoryThreadData,
  { onDropped, onEnded, onHung, startThread = startHistoryWorker }: HistoryReaderOptions,
): HistoryReader => {
  const asked = new Map<number, Asked>();
  let next = 0;
  let thread: Thread<ToHistory> | undefined;
  let ended: Promise<void> = Promise.resolve();
  let isStopping = false;
  let isHung = false;
  const { maskId: masked } = maskBy(data.maskSecret);

  const hear = (message: FromHistory): void => {
    if (message.kind === 'dropped') {
      onDropped(fromSentError(message.error));
      return;
    }
    const { kind, number } = message;
    const one = asked.get(number);
    if (one && (kind === 'end' || kind === 'none')) {
      asked.delete(number);
      one.last = message;
      one.over();
    }
    one?.hear(message);
  };
  const failAll = (error: StoreUnavailable): void => {
    for (const [number, one] of asked) {
      tell({ kind: 'leave', number });
      one.last = error;
      one.over();
      one.fail(error);
    }
    asked.clear();
  };
  const noteEnd = (cause: Error | undefined): void => {
    thread = undefined;
    failAll(new StoreUnavailable('The thread of the history has ended', { cause }));
    if (!isStopping) onEnded(cause ?? new Error('for an unknown reason'));
  };
  const noteHung: OnHung = (hangs) => {
    isHung = hangs;
    if (hangs) failAll(unanswered());
    onHung(hangs);
  };
  const start = (): Thread<ToHistory> => {
    const started = startThread(data, { maxOldGenerationSizeMb: HEAP_MB }, hear, noteHung);
    ended = started.ended.then(noteEnd);
    return started;
  };
  const tell = (message: ToHistory): void => thread?.tell(message);

  /** Tells the thread something, and gives its next message about a question. */
  const answerTo = (one: Asked, message: ToHistory): Promise<FromHistory> =>
    new Promise((resolve, reject) => {
      if (one.last) {
        if (one.last instanceof Error) reject(one.last);
        else resolve(one.last);
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
      if (signal.aborted) throw unavailable('The client has gone', 1);
      if (isStopping) throw new StoreUnavailable('The service is stopping');
      if (isHung) throw unanswered();
      thread ??= start();
      const number = next++;
      const one: Asked = {
        hear: () => undefined,
        fail: () => undefined,
        last: undefined,
        over: () => undefined,
      };
      const over = new Promise<void>((resolve) => (one.over = resolve));
      asked.set(number, one);
      signal.addEventListener('abort', () => tell({ kind: 'leave', number }), { once: true });
      const message = await answerTo(one, { kind: 'ask', number, question });
      if (message.kind === 'none') throw errorOf(message.because);
      const upTo = message.kind === 'begun' ? message.upTo : undefined;
      return {
        upTo,
        masks: question.isUnmasked ? noMask.maskId : masked,
        pieces: piecesOf(number, one),
        over,
      };
    },
    async stop() {
      isStopping = true;
      tell({ kind: 'stop' });
      const waiting = new AbortController();
      const { signal } = waiting;
      await Promise.race([ended, delay(STOP_MS, undefined, { signal, ref: false }).catch(() => undefined)]);
      waiting.abort();
      // The end of the process waits for a thread that hangs, whatever is said here.
      if (isHung) await ended;
      // It need not wait for one that a server keeps waiting.
      thread?.unref();
    },
  };
};
