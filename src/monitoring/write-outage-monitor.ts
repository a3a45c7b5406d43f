import { randomUUID } from 'node:crypto';
import {
  LogDamagedError,
  LogUnavailableError,
  NO_STREAM,
  type AppendRequest,
  type EventLog,
} from '../event-store/port.ts';
import { withFailureObserver } from '../lib/error.ts';
import type { Clock } from '../ports/clock.ts';
import { createOutageMonitor, type OutageMonitorOptions } from './outage-monitor.ts';

interface WriteWatchOptions extends Pick<OutageMonitorOptions<LogUnavailableError>, 'onChange' | 'everyMs'> {
  readonly log: Pick<EventLog, 'append'>;
  readonly clock: Clock;
}

/** A stream that never has an event, so that every try expects the right revision. */
const PROBE_STREAM = 'writes-tried';

/**
 * Watches appends. While they fail it stores an idempotency record that expires at once, until that works: an instance
 * that is not ready is sent no writes by which it could learn that they work again.
 */
export const createWriteOutageMonitor = ({ log, clock, ...options }: WriteWatchOptions) => {
  const probe = (): Promise<unknown> => {
    const now = clock().toISOString();
    const idempotencyRecord = { key: randomUUID(), fingerprint: '', result: {}, storedAt: now, expiresAt: now };
    return append({ stream: PROBE_STREAM, expectedRevision: NO_STREAM, events: [], idempotencyRecord });
  };
  const { failed, worked, reason, stop } = createOutageMonitor({ ...options, probe });

  /** Wraps a command's read of the event log before its append: where that fails, nothing can be stored either. */
  const asking = withFailureObserver((error) => {
    // Damage is met where it lies; elsewhere appends go on.
    if (error instanceof LogUnavailableError && !(error instanceof LogDamagedError)) failed(error);
  });

  /** Appends to the event log, and notes whether that works. */
  const append: EventLog['append'] = asking(async (request: AppendRequest) => {
    const result = await log.append(request);
    if (result.kind === 'appended') worked();
    return result;
  });

  return {
    append,
    asking,
    /** Reports a failure that was found elsewhere. */
    failed,
    /** Why nothing can be stored, in words for any client; undefined once an append was stored again. */
    reason,
    stop,
  };
};
export type WriteOutageMonitor = ReturnType<typeof createWriteOutageMonitor>;
