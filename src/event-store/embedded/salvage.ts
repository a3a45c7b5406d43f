import { setImmediate } from 'node:timers/promises';
import { openReader, openSideWriter, type Connection } from '../../sqlite/connections.ts';
import { lostInWords, type LogPart } from '../log-part.ts';
import { START } from '../port.ts';
import { readAroundDamage } from './around-damage.ts';
import { createCheckedPosition } from './checked-position.ts';
import { COLUMNS } from './events.ts';
import { LOST_SCHEMA } from './lost.ts';
import { IDEMPOTENCY_COLUMNS } from './reader.ts';
import { checksumOfFile } from './rows.ts';
import { EVENTS_SCHEMA, fromPosition, toPosition } from './schema.ts';

/** Columns of events as they are stored: texts are bytes here, for the reason that `Row` has. */
const READ = `position, CAST(stream AS BLOB), revision, CAST(id AS BLOB), CAST(type AS BLOB), version,
  CAST(data AS BLOB), CAST(metadata AS BLOB)`;
const TEXT = 'CAST(? AS TEXT)';
const WRITTEN = `?, ${TEXT}, ?, ${TEXT}, ${TEXT}, ?, ${TEXT}, ${TEXT}`;

/** Copies so many events from a position on, which can be read: the page after them may not be looked at. */
const copyingEvents = (from: Connection, to: Connection) => {
  const select = from
    .prepare(
      `SELECT ${READ}, ${checksumOfFile(from)} FROM events WHERE position >= ? ORDER BY position LIMIT ?`,
    )
    .raw();
  const insert = to.prepare(`INSERT INTO events (${COLUMNS}, checksum) VALUES (${WRITTEN}, ?)`);
  return (first: number, count: number): void => {
    for (const row of select.all([first, count])) insert.run(row);
  };
};

/** How many idempotency records are lost; where not `isExact`, at least so many. */
export interface LostRecords {
  readonly lost: number;
  readonly isExact: boolean;
}

const KEYS = 'SELECT CAST(key AS BLOB) FROM receipts';
const BY_EXPIRY = 'INDEXED BY receipts_by_expiry ORDER BY expires_at';
/** Where the table cannot be read to its end, its index tells the keys; then each is read from its other end. */
const WAYS = ['ORDER BY key', BY_EXPIRY, 'ORDER BY key DESC', `${BY_EXPIRY} DESC`];

const keysIn = (from: Connection): { readonly keys: Iterable<Buffer>; readonly isExact: boolean } => {
  const keys = new Map<string, Buffer>();
  for (const way of WAYS)
    try {
      for (const row of from.prepare(`${KEYS} ${way}`).raw().iterate([])) {
        const [key] = row as readonly [Buffer];
        keys.set(key.toString('latin1'), key);
      }
      return { keys: keys.values(), isExact: true };
    } catch {
      // Another way may lead to more.
    }
  return { keys: keys.values(), isExact: false };
};

const copyRecords = (from: Connection, to: Connection): LostRecords => {
  const select = from
    .prepare(`SELECT ${IDEMPOTENCY_COLUMNS} FROM receipts WHERE key = ${TEXT} AND json_valid(result)`)
    .raw();
  const insert = to.prepare(`INSERT INTO receipts VALUES (${TEXT}, ${TEXT}, ${TEXT}, ${TEXT}, ${TEXT})`);
  const rowOf = (key: Buffer): unknown[] | undefined => {
    try {
      return select.get([key]) as unknown[] | undefined;
    } catch {
      return undefined;
    }
  };
  const { keys, isExact } = keysIn(from);
  let lost = 0;
  for (const key of keys) {
    const row = rowOf(key);
    if (row?.every((each) => each !== null)) insert.run(row);
    else lost++;
  }
  return { lost, isExact };
};

const CHECKSUMS_AT_ONCE = 10_000;

/**
 * Writes a salvaged log into an empty file: the events of a damaged one that can still be read, where they stood, notes
 * of the positions that are lost, and the idempotency records. It yields what it reads of the events. The service may be
 * running on the damaged file.
 *
 * @throws Error for a file that cannot be opened as an event log at all, and where the new one cannot be written
 */
export async function* salvageLog(file: string, to: string): AsyncGenerator<LogPart, LostRecords, undefined> {
  const reader = openReader(file);
  const writer = openSideWriter(to);
  try {
    writer.exec(`BEGIN; ${EVENTS_SCHEMA} ${LOST_SCHEMA}`);
    // Before the events: those that a running service appends meanwhile have records that are not there.
    const records = copyRecords(reader, writer);
    const copy = copyingEvents(reader, writer);
    const note = writer.prepare('INSERT INTO lost (first, last, what) VALUES (?, ?, ?)');
    let end = 0;
    for (const part of readAroundDamage(file)) {
      if (part.kind === 'events') {
        const first = fromPosition(part.events[0]?.position ?? START);
        copy(first, part.events.length);
        end = first + part.events.length - 1;
      } else if (part.last !== undefined) {
        end = fromPosition(part.last);
        note.run([fromPosition(part.first), end, part.kind === 'noted' ? part.what : lostInWords(part).what]);
      }
      yield part;
      // To read a file never yields to the event loop, and a signal would not be heard.
      await setImmediate();
    }
    // Of events at an end of which nothing is known.
    const { changes } = writer.prepare('DELETE FROM receipts WHERE position > ?').run([toPosition(end)]);
    writer.exec('COMMIT');
    const checked = createCheckedPosition(writer);
    while (checked.give(CHECKSUMS_AT_ONCE));
    return { ...records, lost: records.lost + changes };
  } finally {
    writer.close();
    reader.close();
  }
}
