import { isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { createPlaceholderContent } from '../foreign-event.ts';
import { isObject } from '../../schema/json.ts';
import { toPosition } from './schema.ts';
import type { RecordedEvent } from '../port.ts';

/** The columns of an event without its checksum, in the order of `EventColumnValues`. */
export const EVENT_COLUMNS = 'position, stream, revision, id, type, version, data, metadata';
type EventColumnValues = readonly [
  position: number,
  stream: string,
  revision: number,
  id: string,
  type: string,
  version: number,
  data: string,
  metadata: string,
];

/**
 * An event as one JSON text, put together from columns, of which `data` and `metadata` hold JSON: as `eventTextOf`.
 * NULL where a column holds a value of another type.
 */
export const EVENT_TEXT_SQL = `iif(typeof(stream) || typeof(id) || typeof(type) || typeof(data) || typeof(metadata) = 'texttexttexttexttext'
  AND typeof(revision) || typeof(version) = 'integerinteger',
  '{"position":"' || printf('%016d', position) || '","stream":' || json_quote(stream) ||
  ',"revision":' || revision || ',"id":' || json_quote(id) || ',"type":' || json_quote(type) ||
  ',"version":' || version || ',"data":' || data || ',"metadata":' || metadata || '}', NULL)`;

/** The checksum; -1, which no checksum is, where a damaged column holds something else. */
export const storedChecksumSql = (column: string): string =>
  `iif(typeof(${column}) IN ('integer', 'null'), ${column}, -1)`;

/** In the place of the checksum of an event that the index of streams does not lead to. */
export const UNINDEXED_EVENT_SENTINEL = -2;

/** The text whose checksum an event has, put together from its columns as they are stored. */
const eventTextOf = ([position, stream, revision, id, type, version, data, metadata]: EventColumnValues): string =>
  `{"position":"${toPosition(position)}","stream":${JSON.stringify(stream)},"revision":${revision},"id":${JSON.stringify(id)},` +
  `"type":${JSON.stringify(type)},"version":${version},"data":${data},"metadata":${metadata}}`;

/** The checksum of an event: CRC-32 (ISO 3309) of its text in UTF-8. */
export const checksumOf = (content: EventColumnValues): number => crc32(eventTextOf(content));

/**
 * An event as it is stored: its text as bytes, since libsql ends the process at a text that is no UTF-8, as damage
 * makes it. The checksum is null where earlier code, without checksums, stored the event.
 */
export interface EventRow {
  readonly position: number;
  readonly bytes: Buffer | null;
  readonly checksum: number | null;
  /** Its columns as they are stored, where that was asked for. */
  readonly stored?: readonly unknown[];
}

/**
 * What is wrong with a row, in words; undefined for one that is as it was stored, as far as that can be told.
 *
 * @param checked the position up to which every event has a checksum
 */
export const rowDamageOf = ({ position, bytes, checksum }: EventRow, checked: number): string | undefined => {
  if (checksum === UNINDEXED_EVENT_SENTINEL) return 'the index of streams does not lead to it';
  if (checksum === null && position <= checked) return 'it has no checksum any more';
  if (bytes === null || (checksum === null && !isUtf8(bytes))) return 'a column holds a value that no event has';
  return checksum === null || crc32(bytes) === checksum ? undefined : 'the stored event does not match its checksum';
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const DATA = ',"data":';
const METADATA = ',"metadata":';

/** The event of a text of which data or metadata is no JSON object: an operator may have written the row by hand. */
const toForeignEvent = (text: string): RecordedEvent => {
  const dataAt = text.indexOf(DATA);
  const header = JSON.parse(`${text.slice(0, dataAt)}}`) as RecordedEvent;
  const isData = (end: number) => isObject(parse(text.slice(dataAt + DATA.length, end)));
  let end = text.indexOf(METADATA, dataAt);
  while (end >= 0 && !isData(end)) end = text.indexOf(METADATA, end + 1);
  return { ...header, ...createPlaceholderContent(end < 0 ? 'data' : 'metadata') };
};

/** Whether a parsed `EVENT_TEXT_SQL` is an event: only its data and metadata may be something else. */
const isEvent = (parsed: unknown): parsed is RecordedEvent =>
  isObject(parsed) && isObject(parsed['data']) && isObject(parsed['metadata']);

/** The event of a row that has no fault. */
export const toRecordedEvent = ({ bytes }: EventRow): RecordedEvent => {
  const text = bytes?.toString() ?? '';
  const event = parse(text);
  return isEvent(event) ? event : toForeignEvent(text);
};
