import {
  explainError,
  openReader,
  prepareNumberSelect,
  setPragmas,
  SORT_THREAD_PRAGMA,
  type Connection,
} from '../../sqlite/connections.ts';
import { EVENT_COLUMNS, EVENT_TEXT_SQL, toRecordedEvent, type EventRow } from './event-rows.ts';
import { toLogError } from './failures.ts';
import { fileFailureOf } from '../../sqlite/failures.ts';
import {
  checksumSqlFor,
  createLogIntegrityCheck,
  packedRowColumns,
  parsePackedRows,
  type LogIntegrityCheck,
} from './verifying-reader.ts';
import { toPositionNumber } from './schema.ts';
import { cutBatches, LONG_BYTES, type GroupedEventJson } from '../group-batches.ts';
import type { GroupBatch, GroupReadOptions } from '../port.ts';

/** A group is named by its member's JSON, valid text even for a lone surrogate. Data that is no JSON has no members. */
const GROUPED = "iif(json_valid(data), iif(json_type(data, ?1) = 'text', data -> ?1, ''), '')";
const IS_WANTED = `(type IN (SELECT value FROM json_each(?3)) AND (?4 IS NULL OR ${GROUPED} > ?4))`;

/** Events in the order of their groups. */
const sorted = (columns: string): string => `CREATE TEMP TABLE sorted AS
  SELECT ${GROUPED} AS grouped, ${columns} FROM events WHERE position <= ?2 AND ${IS_WANTED}
  ORDER BY grouped, position`;

/** All other events, which are proved too: where its type is damaged, a wanted event is among them. */
const others = (checksum: string): string =>
  `SELECT position, CAST(${EVENT_TEXT_SQL} AS BLOB), ${checksum} FROM events WHERE position <= ?2 AND ${IS_WANTED} IS NOT TRUE`;

/** Rows are numbered from 1; count(*) would read them all. */
const COUNT = 'SELECT ifnull(max(rowid), 0) FROM sorted';
const IS_JSON = 'json_valid(data) AND json_valid(metadata)';
/** Long events are read one by one, since a page is in memory as a whole. */
const IS_SHORT = `octet_length(data) + octet_length(metadata) <= ${LONG_BYTES}`;
const ROWS = 100;
const NAME_END = '\x1e';
/** A group's name, after whether the event's text is JSON. */
const NAME = `CAST(${IS_JSON} AS TEXT) || grouped`;
const PAGE_SQL = `
  SELECT ${packedRowColumns('checksum', IS_SHORT)}, CAST(group_concat(iif(${IS_SHORT}, ${NAME}, ''), char(30)) AS BLOB)
  FROM sorted WHERE rowid > ? AND rowid <= ?`;
const ALONE = `
  SELECT position, CAST(${EVENT_TEXT_SQL} AS BLOB), checksum, CAST(${NAME} AS BLOB) FROM sorted WHERE rowid = ?`;

/** The sorted table is as large as the event log, and larger pages take fewer writes. */
const TEMP_PAGE_BYTES = 65_536;

const toGroupedText = (row: EventRow, name: string): GroupedEventJson => {
  // For SQLite a text that is JSON up to a NUL character is JSON.
  const isJson = name.startsWith('1') && row.bytes?.includes(0) === false;
  return { group: name.slice(1), text: isJson ? row.bytes.toString() : JSON.stringify(toRecordedEvent(row)) };
};

/** @param proof sees each event before it is yielded */
function* sortedTexts(
  reader: Connection,
  count: number,
  proof: LogIntegrityCheck,
): Generator<GroupedEventJson, void, undefined> {
  const page = reader.prepare(PAGE_SQL).raw();
  const select = reader.prepare(ALONE).raw();
  const alone = (rowid: number): GroupedEventJson => {
    const found = select.get([rowid]) as readonly [number, Buffer | null, number | null, Buffer | null];
    const [position, bytes, checksum, name] = found;
    const row = { position, bytes, checksum };
    proof.see(row);
    return toGroupedText(row, name?.toString() ?? '');
  };
  for (let from = 0; from < count; from += ROWS) {
    const [list, bytes, names] = page.get([from, from + ROWS]) as readonly [
      string | null,
      Buffer | null,
      Buffer | null,
    ];
    const rows = parsePackedRows([list, bytes]) ?? [];
    const nameOf = names?.toString().split(NAME_END) ?? [];
    const isWhole = rows.length === Math.min(ROWS, count - from) && nameOf.length === rows.length;
    for (let index = 0; index < Math.min(ROWS, count - from); index++) {
      const [row, name] = [rows[index], nameOf[index]];
      if (isWhole && row?.bytes && name !== undefined) {
        proof.see(row);
        yield toGroupedText(row, name);
      } else yield alone(from + index + 1);
    }
  }
}

const sort = (reader: Connection, columns: string, values: readonly (string | number | null)[]): void => {
  try {
    reader.prepare(sorted(columns)).run(values);
  } catch (error) {
    if (fileFailureOf(error) === 'damaged') throw error;
    const where = "SQLITE_TMPDIR, or the system's directory";
    throw explainError(`The events cannot be sorted in a temporary file (${where})`, error);
  }
};

/**
 * The events as `EventStore.readGroups` gives them; ends well only where all events up to the position were there.
 * Blocks the thread while SQLite sorts.
 */
export function* readSortedGroups(file: string, read: GroupReadOptions): Generator<GroupBatch, void, undefined> {
  const { by, upTo, types, batchSize, after } = read;
  const reader = openReader(file);
  try {
    setPragmas(
      reader,
      'query_only = OFF',
      // Sort in a temporary file: libsql's default is memory.
      'temp_store = FILE',
      SORT_THREAD_PRAGMA,
      `temp.page_size = ${TEMP_PAGE_BYTES}`,
    );
    const checksum = checksumSqlFor(reader);
    const proof = createLogIntegrityCheck(reader, file);
    const values = [`$."${by}"`, toPositionNumber(upTo), JSON.stringify(types), after ?? null];
    sort(reader, `${EVENT_COLUMNS}, ${checksum} AS checksum`, values);
    const of = prepareNumberSelect(reader, COUNT)();
    for (const batch of cutBatches(sortedTexts(reader, of, proof), batchSize)) yield { ...batch, of };
    for (const row of reader.prepare(others(checksum)).raw().iterate(values)) {
      const [position, bytes, checksum] = row as readonly [number, Buffer | null, number | null];
      proof.see({ position, bytes, checksum });
    }
    proof.complete(toPositionNumber(upTo));
  } catch (error) {
    throw toLogError(error, 'the event log cannot be read', file);
  } finally {
    reader.close();
  }
}
