import { randomUUID } from 'node:crypto';
import { LogUnavailable, NO_STREAM, type Append, type EventStore } from '../event-store/port.ts';
import type { Clock } from '../ports/clock.ts';

/** Knows whether what commands decide can be stored. */
export interface WriteWatch {
  /** Appends to the log, and learns from what becomes of it. */
  readonly append: EventStore['append'];
  /** A question to the log that a command asks before its append: where it cannot be asked, nothing can be stored either. */
  readonly asking: <Args extends readonly unknown[], T>(
    ask: (...args: Args) => Promise<T>,
  ) => (...args: Args) => Promise<T>;
  /** To be told of a failure that no append has met yet. */
  failed(error: LogUnavailable): void;
  /** Why nothing can be stored, in words for anybody; undefined as soon as an append was stored. */
  reason(): string | undefined;
  stop(): Promise<void>;
}

export interface WriteWatchOptions {
  readonly log: Pick<EventStore, 'append'>;
  readonly clock: Clock;
  /** Told with the first of several failures, and when writes work again. */
  readonly onChange: (error: LogUnavailable | undefined) => void;
  /** Between two tries of its own. */
  readonly everyMs?: number;
}

const EVERY_MS = 1_000;

/** A stream that never comes to be: a receipt without events is kept whatever the streams are at. */
const NO_EVENTS = 'writes-tried';

/**
 * Watches appends. While they fail it tries by itself, with a receipt that has expired as it is stored: an instance that is not
 * ready is sent no writes by which it could learn that they work again.
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
    const receipt = { key: randomUUID(), fingerprint: '', result: {}, storedAt: now, expiresAt: now };
    try {
      await append({ stream: NO_EVENTS, expectedRevision: NO_STREAM, events: [], receipt });
    } catch {
      // The next try is due.
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
