import { setTimeout as delay } from 'node:timers/promises';
import type { EventStoreDBClient } from '@eventstore/db-client';
import { withTimeout } from '../../lib/with-timeout.ts';
import { backoffMs } from '../../lib/backoff.ts';
import { CannotResumeError, LogUnavailableError } from '../port.ts';

export const EVENTSTOREDB_NO_ANSWER = 'EventStoreDB does not answer';
/** Errors that a retry cannot mend, by the client library's `type`. */
const LASTING_ERROR_TYPES: readonly unknown[] = [
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
const MAX_MS = 4_500;
/** How long one caller probes a silent server, and how long no caller does after that failed. */
const PROBE_MS = 2_000;
const REST_MS = 500;
const MIN_PAUSE_MS = 20;
const MAX_PAUSE_MS = 500;

/** Whether an error of the client has a type. */
export const isClientErrorOfType = (error: unknown, type: string): boolean =>
  error instanceof Error && 'type' in error && error.type === type;

const isLasting = (error: unknown): boolean =>
  error instanceof CannotResumeError ||
  (error instanceof Error && 'type' in error && LASTING_ERROR_TYPES.includes(error.type));

interface Silence {
  readonly since: number;
  /** Until then no caller asks the server. */
  readonly until: number;
  readonly error: unknown;
}
const silences = new WeakMap<EventStoreDBClient, Silence>();

/** The time limit of a caller; undefined when other callers got no answer just before. */
const limitFor = (silence: Silence | undefined, now: number): number | undefined => {
  if (!silence || now - silence.since < MAX_MS) return MAX_MS;
  return now < silence.until ? undefined : PROBE_MS;
};

/**
 * Asks the server, and retries while it does not answer: it may be starting, or failing over. `ask` must be idempotent.
 * Once a server was silent for 4.5 s most callers fail at once: queued requests would each wait that long.
 *
 * @param answerMs how long one answer may take, where that is longer than retries make sense
 * @throws the client library's error where a retry cannot mend it
 * @throws LogUnavailableError, caused by the last error, once no try can begin any more within 4.5 s. Of a server that
 *   is known to be silent, one caller at a time probes for 2 s, and all others fail at once.
 */
export const retryWithCircuitBreaker = async <T>(
  client: EventStoreDBClient,
  ask: () => Promise<T>,
  answerMs?: number,
): Promise<T> => {
  const started = performance.now();
  const known = silences.get(client);
  const limit = limitFor(known, started);
  if (limit === undefined) throw new LogUnavailableError(EVENTSTOREDB_NO_ANSWER, { cause: known?.error });
  const end = started + limit;
  for (let failures = 0; ; failures++) {
    try {
      const answer = await withTimeout(ask(), answerMs ?? end - performance.now(), 'no answer in time');
      silences.delete(client);
      return answer;
    } catch (error) {
      if (isLasting(error)) {
        silences.delete(client);
        throw error;
      }
      const now = performance.now();
      silences.set(client, { since: silences.get(client)?.since ?? started, until: now + REST_MS, error });
      const pause = backoffMs(failures, MIN_PAUSE_MS, MAX_PAUSE_MS);
      if (now + pause >= end) throw new LogUnavailableError(EVENTSTOREDB_NO_ANSWER, { cause: error });
      await delay(pause);
    }
  }
};
