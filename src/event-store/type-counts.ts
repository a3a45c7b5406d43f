import { setImmediate } from 'node:timers/promises';
import type { EventLog, Position, RecordedEvent } from './port.ts';
import { compareByCodePoint } from '../lib/compare-by-code-point.ts';
import { recordedAtOf } from './identity.ts';
import { readLogUpTo } from './read-log.ts';

export interface RecordedPosition {
  readonly position: Position;
  /** RFC 3339; null where the metadata has none. */
  readonly recordedAt: string | null;
}

export interface EventTypeStatistics {
  readonly type: string;
  readonly version: number;
  readonly events: number;
  readonly first: RecordedPosition;
  readonly last: RecordedPosition;
  /** What is wrong with foreign events, which are counted apart: with the first of them. */
  readonly foreign?: string;
}

type IsCounted = (event: RecordedEvent) => boolean;

export interface EventTypeStatisticsReader {
  /**
   * Counts events up to a position. The counts are sorted by type, then by version, foreign events first.
   *
   * @param isCounted asked about each event, in the event log's order; left out: all are
   * @throws the signal's reason once that is aborted
   */
  countTypes(upTo: Position, signal?: AbortSignal, isCounted?: IsCounted): Promise<readonly EventTypeStatistics[]>;
}

const placeOf = (event: RecordedEvent): RecordedPosition => ({
  position: event.position,
  recordedAt: recordedAtOf(event) ?? null,
});

/** By code point, as SQLite sorts. */
const byTypeAndVersion = (a: EventTypeStatistics, b: EventTypeStatistics): number =>
  compareByCodePoint(a.type, b.type) || a.version - b.version;

/** The count of one event. */
const countOf = (event: RecordedEvent): EventTypeStatistics => {
  const { type, version, foreign } = event;
  const place = placeOf(event);
  return { type, version, events: 1, first: place, last: place, ...(foreign !== undefined && { foreign }) };
};

/** Adds up the counts of the parts of an event log, in its order. */
const createTypeCounts = () => {
  const counts = new Map<string, EventTypeStatistics>();
  return {
    add(count: EventTypeStatistics): void {
      const { type, version, events, last, foreign } = count;
      const key = JSON.stringify([type, version, foreign !== undefined]);
      const before = counts.get(key);
      counts.set(key, before ? { ...before, events: before.events + events, last } : count);
    },
    all: (): EventTypeStatistics[] => [...counts.values()].sort(byTypeAndVersion),
  };
};

/** Counts as `EventTypeStatisticsReader` does, with one batch in memory at a time. */
export const countEventsByType = async (
  log: Pick<EventLog, 'subscribe'>,
  upTo: Position,
  signal?: AbortSignal,
  isCounted: IsCounted = () => true,
): Promise<EventTypeStatistics[]> => {
  const counts = createTypeCounts();
  for await (const events of readLogUpTo(log, upTo, signal)) {
    for (const event of events) if (isCounted(event)) counts.add(countOf(event));
    // Reading a file never yields to the event loop, and a cancellation would go unnoticed.
    await setImmediate();
  }
  signal?.throwIfAborted();
  return counts.all();
};
