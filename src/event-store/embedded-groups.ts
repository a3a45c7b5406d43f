import { openReader, type Connection } from '../sqlite/connections.ts';
import { toEvent, type Row } from './embedded-events.ts';
import { fromPosition, toPosition } from './embedded-schema.ts';
import { cutBatches, type GroupedText } from './group-batches.ts';
import type { GroupBatch, GroupRead } from './port.ts';
import { openSpill } from './spill.ts';

type GroupedRow = readonly [group: string, isJson: 0 | 1, ...event: Row];

/** What is no JSON has no members. */
const EVENTS = `
  SELECT CAST(iif(json_valid(data), coalesce(data ->> ?, ''), '') AS TEXT) AS grouped,
    json_valid(data) AND json_valid(metadata),
    position, stream, revision, id, type, version, data, metadata
  FROM events
  WHERE position <= ? AND type IN (SELECT value FROM json_each(?))`;

/** JSON of an event; what was stored as JSON is taken as it is, which costs far less than reading and writing it. */
const textOf = ([, isJson, ...row]: GroupedRow): string => {
  if (!isJson) return JSON.stringify(toEvent(row));
  const [position, stream, revision, id, type, version, data, metadata] = row;
  const place = JSON.stringify({ position: toPosition(position), stream, revision, id, type, version });
  return `${place.slice(0, -1)},"data":${data},"metadata":${metadata}}`;
};

function* select(
  reader: Connection,
  sql: string,
  bound: readonly unknown[],
): Generator<GroupedText, void, undefined> {
  for (const row of reader.prepare(sql).raw().iterate(bound) as Iterable<GroupedRow>)
    yield { group: row[0], text: textOf(row) };
}

/** By way of a copy: an open look at the log keeps its write-ahead log growing. */
function* copied(
  events: Iterable<GroupedText>,
  after: string | undefined,
): Generator<GroupedText, void, undefined> {
  const spill = openSpill();
  try {
    for (const event of events) spill.add(event);
    yield* spill.sorted(after);
  } finally {
    spill.close();
  }
}

/** The events in a log's file, as `readGroups` of the port gives them; while SQLite sorts them the thread is held up. */
export function* groupsIn(file: string, read: GroupRead): Generator<GroupBatch, void, undefined> {
  const { by, upTo, types, batchSize, after, isSlow = false } = read;
  const reader = openReader(file);
  try {
    // What is sorted goes to a file: the library's own default is memory.
    reader.pragma('temp_store = FILE');
    const bound = [by, fromPosition(upTo), JSON.stringify(types)];
    const rest = after === undefined ? '' : 'WHERE grouped > ?';
    const sorted = `SELECT * FROM (${EVENTS}) ${rest} ORDER BY grouped, position`;
    const events = isSlow
      ? copied(select(reader, `${EVENTS} ORDER BY position`, bound), after)
      : select(reader, sorted, after === undefined ? bound : [...bound, after]);
    yield* cutBatches(events, batchSize);
  } finally {
    reader.close();
  }
}
