import { serviceRecordAt } from './own-record.ts';
import {
  START_POSITION,
  type EventLog,
  type LogEventCounter,
  type EventPointer,
  type Position,
  type RecordedEvent,
} from './port.ts';

/**
 * The identity of an event log is the id of its first event. Events keep their ids in backups, copies and exports, and
 * are never removed, so that all of these carry it. An event log without events has none, and nothing to lose.
 */

/** What was seen of an event log, as whoever has made something from it keeps it. */
export interface SeenLogPointers {
  /** Its first event; older code has not kept it. */
  readonly first?: EventPointer | null | undefined;
  /** The last event that was seen; null where none was. */
  readonly last: EventPointer | null;
  /** A later record of another service. */
  readonly passed?: EventPointer | null;
}

/** The event log that what was seen is compared with. */
export interface LogIdentityReader {
  first(): Promise<EventPointer | undefined>;
  /** The id of this service's event at a position; undefined where there is none. */
  idAt(position: Position): Promise<string | undefined>;
  /** The same, of a record of any service. Left out where there are no others. */
  idOfAnyAt?(position: Position): Promise<string | undefined>;
}

export type LogIdentityComparison =
  /** It holds what was seen; `at` is the last of it, or START_POSITION. */
  | { readonly kind: 'same'; readonly at: Position }
  /** It has the same identity, as far as is known, and lacks the last event that was seen. */
  | { readonly kind: 'older'; readonly lacks: EventPointer }
  | { readonly kind: 'other'; readonly expected: string; readonly found: string }
  /** It has no events, and some were seen. `expected`: its identity, where it is known. */
  | { readonly kind: 'gone'; readonly expected: string | undefined };

export const toLogIdentityReader = (log: Pick<EventLog, 'readAll' | 'recordAt'>): LogIdentityReader => ({
  async first() {
    const [event] = await log.readAll(START_POSITION, 1);
    return event && { position: event.position, id: event.id };
  },
  idAt: async (position) => (await serviceRecordAt(log, position))?.id,
  idOfAnyAt: async (position) => (await log.recordAt(position))?.id,
});

/** Whether an event log is the one of which something was seen. */
export const compareLogIdentity = async (
  { first, last, passed = null }: SeenLogPointers,
  log: LogIdentityReader,
): Promise<LogIdentityComparison> => {
  const stands = async ({ position, id }: EventPointer): Promise<boolean> => (await log.idAt(position)) === id;
  // Looked up by position first: on a server that others share, to find the first event may take long.
  if (first && !(await stands(first))) {
    const found = await log.first();
    if (!found) return { kind: 'gone', expected: first.id };
    if (found.id !== first.id) return { kind: 'other', expected: first.id, found: found.id };
  }
  if (passed && (await log.idOfAnyAt?.(passed.position)) === passed.id) return { kind: 'same', at: passed.position };
  if (last && (await stands(last))) return { kind: 'same', at: last.position };
  if (!last) return { kind: 'same', at: START_POSITION };
  return (await log.first()) ? { kind: 'older', lacks: last } : { kind: 'gone', expected: first?.id };
};

/** What was made from one event log does not go on with another one. */
export class AnotherLogError extends Error {
  constructor(comparison: Extract<LogIdentityComparison, { kind: 'other' | 'gone' }>) {
    const { kind, expected } = comparison;
    super(
      kind === 'gone'
        ? `The event log is gone: it has no events, and was ${expected ?? 'one with events'}`
        : `The event log is another one: expected is ${expected}, found ${comparison.found}`,
    );
  }
}

/** The later one of two events; the other where one is not known. */
export const laterEvent = (a: EventPointer | null, b: EventPointer | null): EventPointer | null =>
  a && (!b || a.position >= b.position) ? a : b;

/** The last event of an event log; undefined while it is empty. */
export const readLastEventPointer = async (
  log: Pick<EventLog, 'head' | 'recordAt'>,
): Promise<EventPointer | undefined> => {
  const position = await log.head();
  const record = await log.recordAt(position);
  return record && { position, id: record.id };
};

/** Says how many events an event log lacks, of which positions, and since when, as far as that can be known. */
export const describeMissingEvents = async (
  log: Pick<EventLog, 'head' | 'readAll' | 'recordAt' | 'readStream'> & Pick<LogEventCounter, 'shareOf'>,
  { position, id }: EventPointer,
): Promise<string> => {
  const head = await log.head();
  if (position <= head)
    return `it lacks event ${id}, which stood at position ${position}, where ${
      (await log.recordAt(position)) ? 'another stands' : 'none stands'
    }: its end was lost, and others came after it`;
  // Where to count is cheap, positions have no gaps.
  const count = log.shareOf ? undefined : Number(position) - Number(head);
  const which =
    count === undefined
      ? `the events after position ${head} up to ${position}`
      : count === 1
        ? `1 event, of position ${position}`
        : `${count} events, of positions ${String(Number(head) + 1).padStart(position.length, '0')} to ${position}`;
  const since = await readRecordedAt(log, head);
  return `it lacks ${which}${since === undefined ? '' : `: what was recorded since ${since}`}`;
};

/** When an event was recorded, RFC 3339; undefined where its metadata does not say. */
export const recordedAtOf = (event: Pick<RecordedEvent, 'metadata'> | undefined): string | undefined => {
  const time = event?.metadata['recordedAt'];
  return typeof time === 'string' ? time : undefined;
};

/** The same of the event at a position, also of one of another service. */
export const readRecordedAt = async (
  log: Pick<EventLog, 'recordAt' | 'readStream'>,
  position: Position,
): Promise<string | undefined> => {
  const { stream, revision } = (await log.recordAt(position)) ?? {};
  const [event] = typeof stream === 'string' ? await log.readStream(stream, revision) : [];
  return recordedAtOf(event);
};
