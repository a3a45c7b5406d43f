import {
  explained,
  openReader,
  setPragmas,
  SORT_IN_THREAD,
  type Connection,
} from '../../sqlite/connections.ts';
import { COLUMNS, toEvent, type Row } from './events.ts';
import { fromPosition } from './schema.ts';
import { cutBatches, LONG_BYTES, type GroupedText } from '../group-batches.ts';
import type { GroupBatch, GroupRead } from '../port.ts';

type PageRow = readonly [row: number, group: string, text: string | null];

/** Ends each text, to show that it is whole (see `isJson`). */
const END = '\n';
/** An event as JSON, put together from columns, of which `data` and `metadata` hold JSON. */
const TEXT = `'{"position":"' || printf('%016d', position) || '","stream":' || json_quote(stream) ||
  ',"revision":' || revision || ',"id":' || json_quote(id) || ',"type":' || json_quote(type) ||
  ',"version":' || version || ',"data":' || data || ',"metadata":' || metadata || '}${END}'`;

/**
 * Events in the order of their groups. A group is named by the member's JSON, which is valid text even for a lone
 * surrogate. Data that is no JSON has no members.
 */
const SORTED = `CREATE TEMP TABLE sorted AS SELECT * FROM (
  SELECT iif(json_valid(data), iif(json_type(data, ?1) = 'text', data -> ?1, ''), '') AS grouped, ${COLUMNS}
  FROM events
  WHERE position <= ?2 AND type IN (SELECT value FROM json_each(?3)))
  WHERE ?4 IS NULL OR grouped > ?4
  ORDER BY grouped, position`;

/** Rows are numbered from 1; count(*) would read them all. */
const COUNT = 'SELECT ifnull(max(rowid), 0) FROM sorted';
const IS_JSON = 'json_valid(data) AND json_valid(metadata)';
/** Long events are read one by one, since a page is in memory as a whole. */
const IS_SHORT = `octet_length(data) + octet_length(metadata) <= ${LONG_BYTES}`;
const PAGE = `
  SELECT rowid, iif(${IS_SHORT}, grouped, ''), iif(${IS_SHORT} AND ${IS_JSON}, ${TEXT}, NULL)
  FROM sorted WHERE rowid > ? AND rowid <= ? ORDER BY rowid`;
const ROWS = 100;
const ALONE = `SELECT grouped, iif(${IS_JSON}, ${TEXT}, NULL), ${COLUMNS} FROM sorted WHERE rowid = ?`;

/** The sorted table is as large as the event log, and larger pages take fewer writes. */
const TEMP_PAGE_BYTES = 65_536;

/** SQLite ends a text at a NUL character, so a text without its END was cut off. */
const isJson = (text: string | null): text is string => text?.endsWith(END) === true;

function* sortedTexts(reader: Connection, count: number): Generator<GroupedText, void, undefined> {
  const page = reader.prepare(PAGE).raw();
  const select = reader.prepare(ALONE).raw();
  const alone = (row: number): GroupedText => {
    const [group, text, ...event] = select.get([row]) as readonly [string, string | null, ...Row];
    return { group, text: isJson(text) ? text : JSON.stringify(toEvent(event)) };
  };
  for (let from = 0; from < count; from += ROWS)
    for (const [row, group, text] of page.all([from, from + ROWS]) as PageRow[])
      yield isJson(text) ? { group, text } : alone(row);
}

const sort = (reader: Connection, values: readonly (string | number | null)[]): void => {
  try {
    reader.prepare(SORTED).run(values);
  } catch (error) {
    const where = "SQLITE_TMPDIR, or the system's directory";
    throw explained(`The events cannot be sorted in a temporary file (${where})`, error);
  }
};

/** The events as `EventStore.readGroups` gives them. Blocks the thread while SQLite sorts. */
export function* groupsIn(file: string, read: GroupRead): Generator<GroupBatch, void, undefined> {
  const { by, upTo, types, batchSize, after } = read;
  const reader = openReader(file);
  try {
    setPragmas(
      reader,
      'query_only = OFF',
      // Sort in a temporary file: libsql's default is memory.
      'temp_store = FILE',
      SORT_IN_THREAD,
      `temp.page_size = ${TEMP_PAGE_BYTES}`,
    );
    sort(reader, [`$."${by}"`, fromPosition(upTo), JSON.stringify(types), after ?? null]);
    const [of] = reader.prepare(COUNT).raw().get([]) as readonly [number];
    for (const batch of cutBatches(sortedTexts(reader, of), batchSize)) yield { ...batch, of };
  } finally {
    reader.close();
  }
}
