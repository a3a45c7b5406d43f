import { randomUUID } from 'node:crypto';
import { LogUnavailable, NO_STREAM, type Append, type EventLog } from '../event-store/port.ts';
import type { Clock } from '../ports/clock.ts';

export interface WriteWatch {
  /** Appends to the event log, and notes whether that works. */
  readonly append: EventLog['append'];
  /** Wraps a command's read of the event log before its append: where that fails, nothing can be stored either. */
  readonly asking: <Args extends readonly unknown[], T>(
    ask: (...args: Args) => Promise<T>,
  ) => (...args: Args) => Promise<T>;
  /** To be called with a failure that no append has met yet. */
  failed(error: LogUnavailable): void;
  /** Why nothing can be stored, in words for any client; undefined once an append was stored again. */
  reason(): string | undefined;
  stop(): Promise<void>;
}

export interface WriteWatchOptions {
  readonly log: Pick<EventLog, 'append'>;
  readonly clock: Clock;
  /** Told with the first of several failures, and when appends work again. */
  readonly onChange: (error: LogUnavailable | undefined) => void;
  /** Pause between two tries of its own. */
  readonly everyMs?: number;
}

const EVERY_MS = 1_000;

/** A stream that never has an event, so that every try expects the right revision. */
const PROBE_STREAM = 'writes-tried';

/**
 * Watches appends. While they fail it stores an idempotency record that expires at once, until that works: an instance
 * that is not ready is sent no writes by which it could learn that they work again.
 */
export const watchWrites = ({ log, clock, onChange, everyMs = EVERY_MS }: WriteWatchOptions): WriteWatch => {
  let failure: LogUnavailable | undefined;
  let timer: NodeJS.Timeout | undefined;
  let trying: Promise<void> | undefined;
  let isStopped = false;

  const asking: WriteWatch['asking'] =
    (ask) =>
    (...args) =>
      ask(...args).catch((error: unknown) => {
        if (error instanceof LogUnavailable) failed(error);
        throw error;
      });

  const append = asking(async (asked: Append) => {
    const result = await log.append(asked);
    if (failure && result.kind === 'appended') {
      failure = undefined;
      onChange(undefined);
    }
    return result;
  });

  const tryOne = async (): Promise<void> => {
    const now = clock().toISOString();
    const idempotencyRecord = {
      key: randomUUID(),
      fingerprint: '',
      result: {},
      storedAt: now,
      expiresAt: now,
    };
    try {
      await append({ stream: PROBE_STREAM, expectedRevision: NO_STREAM, events: [], idempotencyRecord });
    } catch {
      // The failure is noted; the next try is due.
    }
    timer = undefined;
    if (failure) tryLater();
  };
  const tryLater = (): void => {
    if (isStopped || timer) return;
    timer = setTimeout(() => {
      trying = tryOne();
    }, everyMs);
  };
  const failed = (error: LogUnavailable): void => {
    const isFirst = failure === undefined;
    failure = error;
    if (isFirst) onChange(error);
    tryLater();
  };

  return {
    append,
    asking,
    failed,
    reason: () => failure?.message,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await trying;
    },
  };
};
