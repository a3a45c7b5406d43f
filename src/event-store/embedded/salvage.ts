import { setImmediate } from 'node:timers/promises';
import { openReader, openSideWriter, type Connection } from '../../sqlite/connections.ts';
import { describeLostPart, type EventsOrLoss } from '../events-or-loss.ts';
import { readAroundDamage } from './around-damage.ts';
import { createChecksumTracker } from './checksum-tracker.ts';
import { EVENT_COLUMNS, type EventRow } from './event-rows.ts';
import { LOST_RANGES_SCHEMA } from './lost-ranges.ts';
import { IDEMPOTENCY_COLUMNS } from './reader.ts';
import { EVENTS_DATABASE_SCHEMA, toPositionNumber, toPosition } from './schema.ts';

/** The columns of an event after its position, as stored: texts are bytes here, for the reason that `EventRow` has. */
const STORED = `CAST(stream AS BLOB), revision, CAST(id AS BLOB), CAST(type AS BLOB), version,
  CAST(data AS BLOB), CAST(metadata AS BLOB)`;
const BOUND_TEXT = 'CAST(? AS TEXT)';
const INSERT = `INSERT INTO events (${EVENT_COLUMNS}, checksum)
  VALUES (?, ${BOUND_TEXT}, ?, ${BOUND_TEXT}, ${BOUND_TEXT}, ?, ${BOUND_TEXT}, ${BOUND_TEXT}, ?)`;

/** How many idempotency records are lost, as far as their keys are known; unless `areAllKnown`, there may be more. */
export interface IdempotencyRecordLossCount {
  readonly lost: number;
  readonly areAllKnown: boolean;
}

const KEYS = 'SELECT CAST(key AS BLOB) FROM receipts';

/** The keys in the table and in its index. Each is read backwards, too, where it cannot be read to its end. */
const readKeys = (from: Connection): { readonly keys: Iterable<Buffer>; readonly areAll: boolean } => {
  const keys = new Map<string, Buffer>();
  const isRead = (order: string): boolean => {
    try {
      for (const row of from.prepare(`${KEYS} ${order}`).raw().iterate([])) {
        const [key] = row as readonly [Buffer];
        keys.set(key.toString('latin1'), key);
      }
      return true;
    } catch {
      return false;
    }
  };
  const ways = ['ORDER BY key', 'INDEXED BY receipts_by_expiry ORDER BY expires_at'];
  const read = ways.map((way) => isRead(way) || (isRead(`${way} DESC`), false));
  return { keys: keys.values(), areAll: read.includes(true) };
};

const salvageIdempotencyRecords = (from: Connection, to: Connection): IdempotencyRecordLossCount => {
  const select = from
    .prepare(`SELECT ${IDEMPOTENCY_COLUMNS} FROM receipts WHERE key = ${BOUND_TEXT} AND json_valid(result)`)
    .raw();
  const insert = to.prepare(
    `INSERT INTO receipts VALUES (${BOUND_TEXT}, ${BOUND_TEXT}, ${BOUND_TEXT}, ${BOUND_TEXT}, ${BOUND_TEXT})`,
  );
  const rowOf = (key: Buffer): unknown[] | undefined => {
    try {
      return select.get([key]) as unknown[] | undefined;
    } catch {
      return undefined;
    }
  };
  const { keys, areAll } = readKeys(from);
  let lost = 0;
  for (const key of keys) {
    const row = rowOf(key);
    if (row?.every((each) => each !== null)) insert.run(row);
    else lost++;
  }
  return { lost, areAllKnown: areAll };
};

const CHECKSUMS_AT_ONCE = 10_000;

/**
 * Writes a salvaged log into an empty file: the events of a damaged one that can still be read, where they stood, notes
 * of the positions that are lost, and the idempotency records. It yields what it reads of the events. The service may
 * be running on the damaged file.
 *
 * @throws Error for a file that cannot be opened as an event log at all, and where the new one cannot be written
 */
export async function* salvageLog(
  file: string,
  to: string,
): AsyncGenerator<EventsOrLoss, IdempotencyRecordLossCount, undefined> {
  const reader = openReader(file);
  const writer = openSideWriter(to);
  try {
    writer.exec(`BEGIN; ${EVENTS_DATABASE_SCHEMA} ${LOST_RANGES_SCHEMA}`);
    // Before the events: else there would be records of events that a running service appends after the copy.
    const records = salvageIdempotencyRecords(reader, writer);
    const insert = writer.prepare(INSERT);
    const note = writer.prepare('INSERT INTO lost (first, last, what) VALUES (?, ?, ?)');
    let end = 0;
    const options = {
      columns: STORED,
      onRows: (rows: readonly EventRow[]): void => {
        for (const { position, stored = [], checksum } of rows) insert.run([position, ...stored, checksum]);
        end = rows.at(-1)?.position ?? end;
      },
    };
    for (const part of readAroundDamage(file, options)) {
      if (part.kind !== 'events' && part.last !== undefined) {
        end = toPositionNumber(part.last);
        note.run([toPositionNumber(part.first), end, part.kind === 'noted' ? part.what : describeLostPart(part).what]);
      }
      yield part;
      // Reading a file never yields to the event loop, and a signal would go unnoticed.
      await setImmediate();
    }
    // Records of events after the last position that is known.
    const { changes } = writer.prepare('DELETE FROM receipts WHERE position > ?').run([toPosition(end)]);
    writer.exec('COMMIT');
    const checked = createChecksumTracker(writer);
    while (checked.addChecksums(CHECKSUMS_AT_ONCE));
    return { ...records, lost: records.lost + changes };
  } finally {
    writer.close();
    reader.close();
  }
}
