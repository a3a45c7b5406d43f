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

/** What tells which types of events an event log holds. */
export interface CountedLog {
  /**
   * Counts events up to a position.
   *
   * @param signal ends it: its reason is thrown
   * @returns by type and version, in this order
   * @throws ForeignEvent for an event that this service cannot have written
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
