import type { EventLog, Position, RecordedEvent } from './port.ts';
import { compareTexts } from '../lib/code-points.ts';
import { readLog } from './read-log.ts';

export interface Place {
  readonly position: Position;
  /** RFC 3339; null where the metadata has none. */
  readonly recordedAt: string | null;
}

export interface TypeCount {
  readonly type: string;
  readonly version: number;
  readonly events: number;
  readonly first: Place;
  readonly last: Place;
}

export interface CountedLog {
  /**
   * Counts events up to a position. The counts are sorted by type, then by version.
   *
   * @throws ForeignEvent for a foreign event, and the signal's reason once that is aborted
   */
  countTypes(upTo: Position, signal?: AbortSignal): Promise<readonly TypeCount[]>;
}

const placeOf = ({ position, metadata }: RecordedEvent): Place => {
  const { recordedAt } = metadata;
  return { position, recordedAt: typeof recordedAt === 'string' ? recordedAt : null };
};

/** By code point, as SQLite sorts. */
const byTypeAndVersion = (a: TypeCount, b: TypeCount): number =>
  compareTexts(a.type, b.type) || a.version - b.version;

/** Adds up the counts of the parts of an event log, in its order. */
export const beginTypeCounts = () => {
  const counts = new Map<string, TypeCount>();
  return {
    add(count: TypeCount): void {
      const { type, version, events, last } = count;
      const key = JSON.stringify([type, version]);
      const before = counts.get(key);
      counts.set(key, before ? { ...before, events: before.events + events, last } : count);
    },
    all: (): TypeCount[] => [...counts.values()].sort(byTypeAndVersion),
  };
};

/** Counts as `CountedLog` does, with one batch in memory at a time. */
export const countTypes = async (
  log: Pick<EventLog, 'subscribe'>,
  upTo: Position,
  signal?: AbortSignal,
): Promise<TypeCount[]> => {
  const counts = beginTypeCounts();
  for await (const events of readLog(log, upTo, signal))
    for (const event of events) {
      const place = placeOf(event);
      counts.add({ type: event.type, version: event.version, events: 1, first: place, last: place });
    }
  signal?.throwIfAborted();
  return counts.all();
};
