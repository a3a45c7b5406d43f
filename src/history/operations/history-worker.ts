import { setTimeout as delay } from 'node:timers/promises';
import { unavailable } from '../../errors/domain-error.ts';
import { StoreUnavailableError } from '../../errors/store-unavailable.ts';
import type { HangStateListener } from '../../lib/heartbeat.ts';
import { createHangGuard } from '../../lib/hang-guard.ts';
import { fromSerializedError } from '../../lib/serialized-error.ts';
import { WorkerEndedError, createWorkerStarter, type StartWorker, type WorkerClient } from '../../lib/worker-client.ts';
import type { Moment } from '../moment/moment.ts';
import { maskBy, noMask } from '../moment/mask.ts';
import type { HistoryWorkerSettings, HistoryProtocol, HistoryRequest } from './history-task.ts';

export interface BegunAnswer {
  /** Of an answer that is no JSON object: the moment that it was made at. */
  readonly upTo: Moment | undefined;
  /** Tells its masks from those of another secret. */
  readonly masks: string;
  readonly pieces: AsyncIterable<string>;
  /** Resolves once the thread does nothing for it any more. */
  readonly over: Promise<void>;
}

const startHistoryThread = createWorkerStarter<HistoryProtocol>(new URL('./history.thread.js', import.meta.url));

/** Answers questions about the history in a thread of its own, so that other requests do not wait for them. */
export interface HistoryWorker {
  /**
   * @param signal ends the answer: aborted by a caller that reads no more of it, or none of it
   * @throws DomainError for a refusal
   * @throws StoreUnavailableError when a store cannot be read now, or the thread has ended or hangs
   */
  ask(question: HistoryRequest, signal: AbortSignal): Promise<BegunAnswer>;
  stop(): Promise<void>;
}

/** How long a thread is waited for that is to end; longer than it takes to see that it hangs. */
const STOP_MS = 12_000;
/** Pieces of an answer that are on their way, so that one is made while another is sent. */
const PIECES_AHEAD = 2;
/** Of the thread: one large answer takes this much, and not the memory of the service. */
const HEAP_MB = 256;

export interface HistoryWorkerOptions {
  /** A subscription of the event log was dropped; it resumes by itself. */
  readonly onDropped: (error: unknown) => void;
  /** The thread has ended by itself; the next question starts another one. */
  readonly onEnded: (reason: Error) => void;
  /** Another one has begun, or the first. */
  readonly onBegun: () => void;
  /** The thread hangs, or answers again: meanwhile questions fail at once. */
  readonly onHung: HangStateListener;
  /** Left out: a worker thread. */
  readonly startThread?: StartWorker<HistoryProtocol> | undefined;
}

const unanswered = (): StoreUnavailableError => new StoreUnavailableError('The thread of the history does not answer');
const stopped = (): StoreUnavailableError => new StoreUnavailableError('The service is stopping');

/**
 * The thread starts with the first question; where it ends by itself, the questions under way fail, and the next one
 * starts another.
 */
export const createHistoryWorker = (
  settings: HistoryWorkerSettings,
  { onDropped, onEnded, onBegun, onHung, startThread = startHistoryThread }: HistoryWorkerOptions,
): HistoryWorker => {
  let worker: WorkerClient<HistoryProtocol> | undefined;
  let isHung = false;
  const stopping = new AbortController();
  const guard = createHangGuard(unanswered, (hangs) => {
    isHung = hangs;
    onHung(hangs);
  });
  const { maskId: masked } = maskBy(settings.maskSecret);

  const start = (): WorkerClient<HistoryProtocol> => {
    const started = startThread({ resourceLimits: { maxOldGenerationSizeMb: HEAP_MB }, onHung: guard.onHung });
    onBegun();
    void started.ended.then((cause) => {
      worker = undefined;
      if (!stopping.signal.aborted) onEnded(cause ?? new Error('for an unknown reason'));
    });
    return started;
  };
  /** The result of an act, unless the thread hangs or has ended. */
  const unlessGone = <T>(act: () => Promise<T>): Promise<T> =>
    guard.unlessHung(act).catch((error: unknown) => {
      if (!(error instanceof WorkerEndedError)) throw error;
      throw new StoreUnavailableError('The thread of the history has ended', { cause: error.cause });
    });

  return {
    async ask(question, signal) {
      if (signal.aborted) throw unavailable('The client has gone', 1);
      if (stopping.signal.aborted) throw stopped();
      if (isHung) throw unanswered();
      worker ??= start();
      const { items, cancel, result } = worker.start(
        { ...settings, question },
        {
          signal: AbortSignal.any([signal, stopping.signal]),
          onStatus: ({ error }) => onDropped(fromSerializedError(error)),
          window: PIECES_AHEAD,
        },
      );
      const answer = items();
      const next = async () => {
        const item = await unlessGone(() => answer.next());
        // A task that is cancelled ends without an error, and its answer would look whole.
        if (item.done && stopping.signal.aborted && !signal.aborted) throw stopped();
        return item;
      };
      async function* pieces(): AsyncGenerator<string, void, undefined> {
        try {
          for (;;) {
            const { done, value } = await next();
            if (done) return;
            if (typeof value === 'string') yield value;
          }
        } finally {
          cancel();
        }
      }
      const over = guard
        .unlessHung(() => result)
        .then(
          () => undefined,
          () => undefined,
        );
      const begun = await next().catch((error: unknown) => {
        cancel();
        throw error;
      });
      const upTo = typeof begun.value === 'object' ? begun.value.upTo : undefined;
      return { upTo, masks: question.isUnmasked ? noMask.maskId : masked, pieces: pieces(), over };
    },
    async stop() {
      stopping.abort();
      if (!worker) return;
      const { close, ended, unref } = worker;
      close();
      const waiting = new AbortController();
      const { signal } = waiting;
      await Promise.race([ended, delay(STOP_MS, undefined, { signal, ref: false }).catch(() => undefined)]);
      waiting.abort();
      // The process cannot end before a thread that hangs.
      if (isHung) await ended;
      // It can end before a thread that waits for a server.
      unref();
    },
  };
};
