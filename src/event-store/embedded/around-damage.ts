import { openReader, prepareNumberSelect, type Connection } from '../../sqlite/connections.ts';
import type { EventsOrLoss } from '../events-or-loss.ts';
import { rowDamageOf, toRecordedEvent, type EventRow } from './event-rows.ts';
import { createLostRanges, readLostRanges, toRecordedLoss, type LostRanges } from './lost-ranges.ts';
import { MISSING_EVENT_TEXT, prepareEventRows, prepareChecksummedUpTo } from './verifying-reader.ts';
import type { Position } from '../port.ts';
import { toPositionNumber, STREAM_INDEX_NAME, toPosition } from './schema.ts';
import { errorMessageOf } from '../../lib/error.ts';

const BATCH_SIZE = 2_000;

type Read = { readonly rows: readonly EventRow[] } | { readonly why: string };

const reading = (connection: Connection, columns: string | undefined) => {
  const select = prepareEventRows(connection, 'position > ? AND position <= ? ORDER BY position LIMIT ?', columns);
  return (after: number, end: number, limit: number): Read => {
    try {
      return { rows: select(after, end, limit) };
    } catch (error) {
      return { why: errorMessageOf(error) };
    }
  };
};

/**
 * The position after which there is a sound event again; undefined where there is none up to the end. It doubles its
 * step, and then bisects, as damage is mostly one range.
 */
const nextSoundAfter = (isSound: (after: number) => boolean, damaged: number, end: number): number | undefined => {
  let [lower, step] = [damaged, 1];
  while (!isSound(lower + step)) {
    lower += step;
    if (lower >= end) return undefined;
    step *= 2;
  }
  let upper = lower + step;
  while (upper - lower > 1) {
    const middle = Math.floor((lower + upper) / 2);
    if (isSound(middle)) upper = middle;
    else lower = middle;
  }
  return upper;
};

/** The streams of the events in a range, as far as the index can be read; `last` undefined: up to the end. */
type FindStreams = (first: Position, last: Position | undefined) => readonly string[];

const findStreams =
  (connection: Connection): FindStreams =>
  (first, last) => {
    try {
      const rows = connection
        .prepare(
          `SELECT DISTINCT CAST(stream AS BLOB) FROM events INDEXED BY ${STREAM_INDEX_NAME} WHERE +position BETWEEN ? AND ?`,
        )
        .raw()
        .all([toPositionNumber(first), last === undefined ? Number.MAX_SAFE_INTEGER : toPositionNumber(last)]);
      return (rows as [Buffer | null][]).flatMap(([stream]) => (stream ? [stream.toString()] : []));
    } catch {
      // The index is damaged, too.
      return [];
    }
  };

/** Any event takes more: a position for which the file is too small comes from a damaged page. */
const LEAST_BYTES = 64;

/** The last position that ever had an event, by the table or its stream index; no bound where neither can be read. */
const lastKnownPosition = (connection: Connection, noted: LostRanges): number => {
  const numberOf = (sql: string) => prepareNumberSelect(connection, sql)();
  const bytes = numberOf('SELECT page_count * page_size FROM pragma_page_count, pragma_page_size');
  const most = noted.end + bytes / LEAST_BYTES;
  const checked = prepareChecksummedUpTo(connection)();
  for (const select of [
    'SELECT coalesce(max(position), 0) FROM events',
    `SELECT coalesce(max(+position), 0) FROM events INDEXED BY ${STREAM_INDEX_NAME}`,
  ])
    try {
      const found = numberOf(select);
      if (found <= most) return Math.max(...[checked, noted.end, found].filter((each) => each <= most));
    } catch {
      // The index may still be readable.
    }
  return Number.MAX_SAFE_INTEGER;
};

/** What a file notes as lost; nothing where these notes are damaged, so that the positions count as missing. */
const lostRangesIn = (connection: Connection): LostRanges => {
  try {
    return readLostRanges(connection);
  } catch {
    return createLostRanges([]);
  }
};

/** Splits a lost part into the ranges that the file notes as lost and the others. */
function* splitByNotes(part: EventsOrLoss, { ranges }: LostRanges): Generator<EventsOrLoss, void> {
  if (part.kind === 'events' || part.kind === 'noted') {
    yield part;
    return;
  }
  let at = toPositionNumber(part.first);
  const end = part.last === undefined ? Infinity : toPositionNumber(part.last);
  for (const { first, last, what } of ranges) {
    if (last < at || first > end) continue;
    if (first > at) yield { ...part, first: toPosition(at), last: toPosition(first - 1) };
    yield toRecordedLoss({ first: Math.max(first, at), last: Math.min(last, end), what });
    at = last + 1;
  }
  if (at <= end) yield { ...part, first: toPosition(at) };
}

interface RowOptions {
  /** More columns for each row. */
  readonly columns?: string;
  /** Given the rows of events, before the events are yielded. */
  readonly onRows?: (rows: readonly EventRow[]) => void;
}

/**
 * Reads the event log up to a position, by default its end, and goes on after what SQLite cannot read and after events
 * that do not match their checksums. The service may be running on the file.
 *
 * @throws Error for a file that cannot be opened as an event log at all
 */
export function* readAroundDamage(
  file: string,
  { upTo, ...rows }: RowOptions & { readonly upTo?: number } = {},
): Generator<EventsOrLoss, void, undefined> {
  const connection = openReader(file);
  try {
    const noted = lostRangesIn(connection);
    const end = upTo ?? lastKnownPosition(connection, noted);
    for (const part of partsUpTo(connection, end, rows)) yield* splitByNotes(part, noted);
  } finally {
    connection.close();
  }
}

function* partsUpTo(
  connection: Connection,
  end: number,
  { columns, onRows }: RowOptions,
): Generator<EventsOrLoss, void> {
  const read = reading(connection, columns);
  const checked = prepareChecksummedUpTo(connection)();
  const streamsOf = findStreams(connection);
  const isSound = (after: number): boolean => {
    const result = read(after, end, 1);
    const [row] = 'rows' in result ? result.rows : [];
    return row !== undefined && row.position > after && rowDamageOf(row, checked) === undefined;
  };
  let [at, limit] = [0, BATCH_SIZE];
  while (at < end) {
    const result = read(at, end, limit);
    if ('why' in result && limit > 1) {
      limit = Math.ceil(limit / 2);
      continue;
    }
    const rows = 'rows' in result ? result.rows : [];
    const before = at;
    const faults = new Map<number, string>();
    let run: EventRow[] = [];
    const takeRun = function* (): Generator<EventsOrLoss, void> {
      onRows?.(run);
      if (run.length > 0) yield { kind: 'events', events: run.map(toRecordedEvent) };
      run = [];
    };
    /** The lost parts between `at` and the next sound event. */
    const lostBefore = function* (next: number): Generator<EventsOrLoss, void> {
      const missing = function* (first: number, last: number): Generator<EventsOrLoss, void> {
        const [from, to] = [toPosition(first), toPosition(last)];
        if (first <= last) yield { kind: 'missing', first: from, last: to, streams: streamsOf(from, to) };
      };
      const found = [...faults].filter(([position]) => position > at && position < next);
      for (const [position, why] of found.sort(([a], [b]) => a - b)) {
        yield* missing(at + 1, position - 1);
        const there = toPosition(position);
        yield { kind: 'unreadable', first: there, last: there, why, streams: streamsOf(there, there) };
        at = position;
      }
      yield* missing(at + 1, next - 1);
    };
    for (const row of rows) {
      const { position } = row;
      const fault = rowDamageOf(row, checked);
      // The position in a damaged row may be wrong, and the rows of a damaged page out of order.
      if (fault !== undefined) faults.set(position, fault);
      if (fault !== undefined || position <= at) continue;
      if (position !== at + 1) {
        yield* takeRun();
        yield* lostBefore(position);
      }
      run.push(row);
      at = position;
    }
    yield* takeRun();
    // SQLite ends a scan at a damaged row whose position seems to be after the end.
    if (at < end && (at === before || rows.length < limit)) {
      const next = nextSoundAfter(isSound, at, end);
      if (next === undefined && end === Number.MAX_SAFE_INTEGER) {
        const first = toPosition(at + 1);
        const why = 'why' in result ? result.why : MISSING_EVENT_TEXT;
        yield { kind: 'unreadable', first, last: undefined, why, streams: streamsOf(first, undefined) };
      } else if ('why' in result) {
        const [first, last] = [toPosition(at + 1), toPosition(next ?? end)];
        yield { kind: 'unreadable', first, last, why: result.why, streams: streamsOf(first, last) };
      } else yield* lostBefore((next ?? end) + 1);
      at = next ?? end;
    }
    limit = Math.min(BATCH_SIZE, limit * 2);
  }
}
