import { prepareNumberSelect, type Connection } from '../../sqlite/connections.ts';
import { LogDamagedError, START_POSITION, type LogDamage, type RecordedEvent } from '../port.ts';
import { toLogError } from './failures.ts';
import {
  storedChecksumSql,
  rowDamageOf,
  EVENT_TEXT_SQL,
  toRecordedEvent,
  UNINDEXED_EVENT_SENTINEL,
  type EventRow,
} from './event-rows.ts';
import { readLostRanges } from './lost-ranges.ts';
import { CHECKSUMMED_UP_TO_PRAGMA, toPositionNumber, STREAM_INDEX_NAME, toPosition } from './schema.ts';

export const MISSING_EVENT_TEXT = 'there is no event';

/** Whether the events of a file have checksums: those of one that only earlier code has written have none. */
export const hasChecksums = (connection: Connection): boolean =>
  connection.prepare("SELECT 1 FROM pragma_table_info('events') WHERE name = 'checksum'").raw().get([]) !== undefined;

/** The expression of a checksum, also for a file that has none. */
export const checksumSqlFor = (connection: Connection): string =>
  hasChecksums(connection) ? storedChecksumSql('checksum') : 'NULL';

/** Separates the events of a page. No JSON holds it. */
const END = '\x1e';

type PageRow = readonly [positions: string | null, bytes: Buffer | null];

/**
 * Many rows in one blob, which is read as fast as texts are.
 *
 * @param condition selects the rows whose text is included
 */
export const packedRowColumns = (checksum: string, condition = 'true'): string => `group_concat(position),
  CAST(group_concat(iif(${condition}, ifnull(ifnull(${checksum}, '') || ' ' || ${EVENT_TEXT_SQL}, ''), ''), char(30)) AS BLOB)`;

/** The rows of a page; undefined where an event contains the separator. Rows without a text have no bytes. */
export const parsePackedRows = ([list, bytes]: PageRow): EventRow[] | undefined => {
  if (list === null || bytes === null) return [];
  const positions = list.split(',');
  const rows: EventRow[] = [];
  for (let at = 0; at <= bytes.length;) {
    const found = bytes.indexOf(END, at);
    const end = found < 0 ? bytes.length : found;
    const space = bytes.indexOf(' ', at);
    const position = Number(positions[rows.length]);
    if (space < 0 || space > end) rows.push({ position, bytes: null, checksum: null });
    else {
      const checksum = space === at ? null : Number(bytes.toString('latin1', at, space));
      rows.push({ position, bytes: bytes.subarray(space + 1, end), checksum });
    }
    at = end + 1;
  }
  return rows.length === positions.length ? rows : undefined;
};

/** Prepares a statement that reads rows one by one. @param columns more columns, as they are stored */
export const prepareEventRows = (connection: Connection, rest: string, columns?: string) => {
  const more = columns === undefined ? '' : `, ${columns}`;
  const select = connection
    .prepare(
      `SELECT position, CAST(${EVENT_TEXT_SQL} AS BLOB), ${checksumSqlFor(connection)}${more} FROM events WHERE ${rest}`,
    )
    .raw();
  return (...values: readonly unknown[]): EventRow[] =>
    (select.all([...values]) as [number, Buffer | null, number | null, ...unknown[]][]).map((row) => {
      const [position, bytes, checksum] = row;
      return { position, bytes, checksum, ...(columns !== undefined && { stored: row.slice(3) }) };
    });
};

/** The position of an entry of the index of streams that does not lead to its own event; NULL for one that does. */
const unsoundEntry = (where: string): string => `(
  SELECT iif(EXISTS (
    SELECT 1 FROM events AS found NOT INDEXED
    WHERE found.position = entry.position AND found.stream = entry.stream AND found.revision = entry.revision
  ), NULL, position) FROM events AS entry INDEXED BY ${STREAM_INDEX_NAME} WHERE ${where} LIMIT 1)`;

/**
 * Selects a row without a text for each damaged entry of the index next to those of the streams. SQLite seeks a stream
 * by comparing entries. A damaged entry can mislead that search, or hide an event of the stream; in both cases the
 * search ends right beside the entry. So where this finds no row, no event of the streams was left out. Nothing but the
 * seek may compare entries, since the order of a damaged one is arbitrary.
 *
 * @param names a SELECT of the name of each stream as `value`
 */
const unsoundNeighbours = (names: string): string =>
  [
    'stream >= value AND stream IS NOT value ORDER BY stream, revision',
    'stream < value ORDER BY stream DESC, revision DESC',
  ]
    .map(
      (where) => `
  UNION ALL
  SELECT at, NULL, ${UNINDEXED_EVENT_SENTINEL} FROM (SELECT ${unsoundEntry(where)} AS at FROM (${names})) WHERE at IS NOT NULL`,
    )
    .join('');

/** Prepares a query for the rows of a range of positions, after one and up to another. */
const prepareRange = (connection: Connection) => {
  const columns = packedRowColumns(checksumSqlFor(connection));
  const page = connection.prepare(`SELECT ${columns} FROM events WHERE position > ? AND position <= ?`).raw();
  const one = prepareEventRows(connection, 'position > ? AND position <= ? ORDER BY position');
  return (after: number, end: number): EventRow[] =>
    parsePackedRows(page.get([after, end]) as PageRow) ?? one(after, end);
};

/** Prepares a query for the position up to which every event has a checksum, which rises; 0 where none has one. */
export const prepareChecksummedUpTo = (connection: Connection): (() => number) =>
  hasChecksums(connection) ? prepareNumberSelect(connection, `PRAGMA ${CHECKSUMMED_UP_TO_PRAGMA}`) : () => 0;

/** An error for some positions of a file. */
export const damagedRangeError = (file: string, first: number, last: number, what: string): LogDamagedError =>
  new LogDamagedError({ file, first: toPosition(first), last: toPosition(last), what });

/** Proves that the events up to a position, seen one by one in any order, are complete and unchanged. */
export const createLogIntegrityCheck = (connection: Connection, file: string) => {
  // Read before any event: those up to here have had checksums since then.
  const checked = prepareChecksummedUpTo(connection)();
  const lost = readLostRanges(connection);
  /** A bit for each position. */
  let seen = new Uint8Array(1);

  const note = (position: number): void => {
    const byte = position >> 3;
    if (byte >= seen.length) {
      const longer = new Uint8Array(2 * (byte + 1));
      longer.set(seen);
      seen = longer;
    }
    seen[byte] = (seen[byte] ?? 0) | (1 << (position & 7));
  };
  const isSeen = (position: number): boolean => ((seen[position >> 3] ?? 0) & (1 << (position & 7))) !== 0;
  return {
    see(row: EventRow): void {
      const { position } = row;
      const what = rowDamageOf(row, checked);
      if (what !== undefined) throw damagedRangeError(file, position, position, what);
      note(position);
    },
    /** @throws LogDamagedError unless all events up to a position were seen, but those that are noted as lost */
    complete(upTo: number): void {
      for (let first = 1; first <= upTo; first++) {
        if (isSeen(first)) continue;
        let last = first;
        while (last < upTo && !isSeen(last + 1)) last++;
        if (!lost.covers(first, last)) throw damagedRangeError(file, first, last, MISSING_EVENT_TEXT);
        first = last;
      }
    },
  };
};
export type LogIntegrityCheck = ReturnType<typeof createLogIntegrityCheck>;

/**
 * Reads events from a file and proves that they are complete and unchanged: each event by its checksum, a range of
 * positions and a stream by having no gaps but those that the file notes as lost.
 *
 * @param connection reads a file that has the tables of `EVENTS_DATABASE_SCHEMA`, or those of earlier code
 */
export const createVerifyingReader = (connection: Connection, file: string) => {
  const range = prepareRange(connection);
  const one = prepareEventRows(connection, 'position = ?');
  const stream = prepareEventRows(connection, `stream = ?1 ${unsoundNeighbours('SELECT ?1 AS value')}`);
  const streams = prepareEventRows(
    connection,
    `stream IN (SELECT value FROM json_each(?1)) ${unsoundNeighbours('SELECT value FROM json_each(?1)')}`,
  );
  const selectHead = connection.prepare('SELECT max(position) FROM events').raw();
  const checkedNow = prepareChecksummedUpTo(connection);
  let checked = checkedNow();

  const explain = <T>(read: () => T, where: Pick<LogDamage, 'first' | 'last'> = {}): T => {
    try {
      return read();
    } catch (error) {
      throw toLogError(error, 'the event log cannot be read', file, where);
    }
  };

  /** Reads rows again where they may have got checksums in between. */
  const withChecksums = (read: () => EventRow[]): EventRow[] => {
    const rows = read();
    if (rows.every(({ position, checksum }) => checksum !== null || position <= checked)) return rows;
    const before = checked;
    checked = checkedNow();
    return checked > before ? read() : rows;
  };

  /** @throws LogDamagedError for the first row that is not as it was stored */
  const eventsOf = (read: () => EventRow[], where?: Pick<LogDamage, 'first' | 'last'>): RecordedEvent[] =>
    explain(() => withChecksums(read), where).map((row) => {
      const what = rowDamageOf(row, checked);
      if (what !== undefined) throw damagedRangeError(file, row.position, row.position, what);
      return toRecordedEvent(row);
    });

  /** Sorts events by streams. @throws LogDamagedError for a gap in a stream, or before it, that is not noted as lost */
  const withoutGaps = (events: RecordedEvent[]): RecordedEvent[] => {
    events.sort((a, b) => (a.stream === b.stream ? a.revision - b.revision : a.stream < b.stream ? -1 : 1));
    let [name, next, before] = ['', 0, START_POSITION];
    for (const { position, stream, revision } of events) {
      if (stream !== name) [name, next, before] = [stream, 0, START_POSITION];
      const what = `its stream lacks revision ${next} before it`;
      if (
        revision !== next &&
        (revision < next || lost.count(toPositionNumber(before), toPositionNumber(position)) < revision - next)
      )
        throw new LogDamagedError({ file, first: position, last: position, what });
      [next, before] = [revision + 1, position];
    }
    return events;
  };

  /** The last position; 0 for an empty event log. */
  const head = (): number => {
    const [position] = explain(() => selectHead.get([])) as readonly [number | null];
    const last = position ?? 0;
    if (last < checked) throw damagedRangeError(file, last + 1, checked, MISSING_EVENT_TEXT);
    return last;
  };

  const lost = explain(() => readLostRanges(connection));

  return {
    lost,
    head,
    /** All events of a range of positions that the event log has reached, which may begin and end with lost ones. */
    range(after: number, end: number): RecordedEvent[] {
      const where = { first: toPosition(after + 1), last: toPosition(end) };
      const events = eventsOf(() => range(after, end), where);
      let expected = after + 1;
      for (const { position } of events) {
        if (position !== toPosition(expected)) {
          const found = toPositionNumber(position);
          if (!lost.covers(expected, found - 1))
            throw damagedRangeError(file, expected, Math.max(expected, found - 1), MISSING_EVENT_TEXT);
          expected = found;
        }
        expected++;
      }
      if (expected <= end && !lost.covers(expected, end))
        throw damagedRangeError(file, expected, end, MISSING_EVENT_TEXT);
      return events;
    },
    /** The event at a position; undefined where the event log has none. */
    at(position: number): RecordedEvent | undefined {
      const at = toPosition(position);
      const [event] = eventsOf(() => one(position), { first: at, last: at });
      if (!event && position > 0 && position <= head() && !lost.covers(position, position))
        throw damagedRangeError(file, position, position, MISSING_EVENT_TEXT);
      return event;
    },
    /** The events of a stream from a revision on. All are read, since the earlier ones prove that none is left out. */
    stream: (name: string, from: number): RecordedEvent[] =>
      withoutGaps(eventsOf(() => stream(name))).filter(({ revision }) => revision >= from),
    /** The events of some streams, stream by stream. */
    streams: (names: readonly string[]): RecordedEvent[] => withoutGaps(eventsOf(() => streams(JSON.stringify(names)))),
  };
};
