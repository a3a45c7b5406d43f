import { setTimeout as delay } from 'node:timers/promises';
import type { EventStoreDBClient } from '@eventstore/db-client';
import { inTime } from '../../lib/with-timeout.ts';
import { backoff } from '../../lib/backoff.ts';
import { CannotResume, LogUnavailable } from '../port.ts';

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
/** How long somebody waits who tries whether a server answers again, and how long nobody does after it did not. */
const PROBE_MS = 2_000;
const REST_MS = 500;
const LEAST_PAUSE_MS = 20;
const MOST_PAUSE_MS = 500;

/** Whether an error of the client has a type. */
export const isOfType = (error: unknown, type: string): boolean =>
  error instanceof Error && 'type' in error && error.type === type;

const isLasting = (error: unknown): boolean =>
  error instanceof CannotResume ||
  (error instanceof Error && 'type' in error && LASTING.includes(error.type));

/** A server that does not answer. */
interface Silence {
  readonly since: number;
  /** Until then nobody asks it. */
  readonly until: number;
  readonly error: unknown;
}
const silences = new WeakMap<EventStoreDBClient, Silence>();

/** The time limit for somebody who asks now; undefined when others have asked in vain just before. */
const limitFor = (silence: Silence | undefined, now: number): number | undefined => {
  if (!silence || now - silence.since < MOST_MS) return MOST_MS;
  return now < silence.until ? undefined : PROBE_MS;
};

/**
 * Asks the server, again and again while it does not answer: it may be starting, or failing over. What is asked must be
 * the same to do twice as once. Of a server that has not answered anybody for so long not everybody is kept waiting: requests
 * may stand in line, each of which would take all of the time.
 *
 * @param answerMs how long one answer may take, where that is longer than there is any sense in asking again
 * @throws the client's error where trying again cannot mend it
 * @throws LogUnavailable after 4.5 s, with the last one as its cause
 */
export const untilAnswered = async <T>(
  client: EventStoreDBClient,
  ask: () => Promise<T>,
  answerMs?: number,
): Promise<T> => {
  const started = performance.now();
  const known = silences.get(client);
  const limit = limitFor(known, started);
  if (limit === undefined) throw new LogUnavailable(NO_ANSWER, { cause: known?.error });
  const end = started + limit;
  for (let failures = 0; ; failures++) {
    try {
      const answer = await inTime(ask(), answerMs ?? end - performance.now(), 'no answer in time');
      silences.delete(client);
      return answer;
    } catch (error) {
      if (isLasting(error)) {
        silences.delete(client);
        throw error;
      }
      const now = performance.now();
      silences.set(client, { since: silences.get(client)?.since ?? started, until: now + REST_MS, error });
      const pause = backoff(failures, LEAST_PAUSE_MS, MOST_PAUSE_MS);
      if (now + pause >= end) throw new LogUnavailable(NO_ANSWER, { cause: error });
      await delay(pause);
    }
  }
};
