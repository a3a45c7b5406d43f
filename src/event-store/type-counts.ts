import type { EventLog, Position, RecordedEvent } from './port.ts';
import { compareTexts } from '../lib/code-points.ts';
import { readLog } from './log-sums.ts';

export interface Place {
  readonly position: Position;
  /** RFC 3339; null where the metadata has none. */
  readonly recordedAt: string | null;
}

/** The events of one type and version in an event log. */
export interface TypeCount {
  readonly type: string;
  readonly version: number;
  readonly events: number;
  readonly first: Place;
  readonly last: Place;
}

const placeOf = ({ position, metadata }: RecordedEvent): Place => {
  const { recordedAt } = metadata;
  return { position, recordedAt: typeof recordedAt === 'string' ? recordedAt : null };
};

/** By code point, as SQLite sorts. */
const byTypeAndVersion = (a: TypeCount, b: TypeCount): number =>
  compareTexts(a.type, b.type) || a.version - b.version;

/**
 * Counts events up to a position, with one batch in memory at a time.
 *
 * @returns by type and version, in this order
 * @throws ForeignEvent for an event that this service cannot have written
 */
export const countTypes = async (log: Pick<EventLog, 'subscribe'>, end: Position): Promise<TypeCount[]> => {
  const counts = new Map<string, TypeCount>();
  for await (const events of readLog(log, end))
    for (const event of events) {
      const { type, version } = event;
      const key = JSON.stringify([type, version]);
      const before = counts.get(key);
      const last = placeOf(event);
      counts.set(key, {
        type,
        version,
        events: (before?.events ?? 0) + 1,
        first: before?.first ?? last,
        last,
      });
    }
  return [...counts.values()].sort(byTypeAndVersion);
};
