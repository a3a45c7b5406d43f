import { setTimeout as delay } from 'node:timers/promises';
import { inTime } from '../in-time.ts';

export const NO_ANSWER = 'EventStoreDB does not answer';
/** What trying again cannot mend, by the client's `type` of an error. */
const LASTING: readonly unknown[] = [
  'wrong-expected-version',
  'stream-not-found',
  'stream-deleted',
  'maximum-append-size-exceeded',
  'access-denied',
  'invalid-argument',
  'invalid-transaction',
  'unsupported',
];
/** Less than half of the 10 s in which a request is answered, since a command reads before it appends. */
const MOST_MS = 4_500;
const LEAST_PAUSE_MS = 20;
const MOST_PAUSE_MS = 500;

/** Whether an error of the client has a type. */
export const isOfType = (error: unknown, type: string): boolean =>
  error instanceof Error && 'type' in error && error.type === type;

const isLasting = (error: unknown): boolean =>
  error instanceof Error && 'type' in error && LASTING.includes(error.type);

/** A growing pause with jitter, so that many who wait do not come back together. */
export const pauseAfter = (failures: number, least: number, most: number): number =>
  Math.min(most, least * 2 ** failures) * (0.5 + Math.random() / 2);

/**
 * Asks the server, again and again while it does not answer: it may be starting, or failing over. What is asked must be
 * the same to do twice as once.
 *
 * @throws the client's error where trying again cannot mend it; an Error whose cause is the last one after 4.5 s
 */
export const untilAnswered = async <T>(ask: () => Promise<T>): Promise<T> => {
  const end = performance.now() + MOST_MS;
  for (let failures = 0; ; failures++) {
    try {
      return await inTime(ask(), end - performance.now(), 'no answer in time');
    } catch (error) {
      if (isLasting(error)) throw error;
      const pause = pauseAfter(failures, LEAST_PAUSE_MS, MOST_PAUSE_MS);
      if (performance.now() + pause >= end) throw new Error(NO_ANSWER, { cause: error });
      await delay(pause);
    }
  }
};
