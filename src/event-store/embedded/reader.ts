import { explained, openReader, type Connection } from '../../sqlite/connections.ts';
import type { JsonObject } from '../../schema/json.ts';
import { createCounts } from './counts.ts';
import { toLogError } from './failures.ts';
import { fromPosition, toPosition } from './schema.ts';
import { COLUMNS, toEvent, type Row } from './events.ts';
import { groupsIn } from './groups.ts';
import { stateBy } from './held-keys.ts';
import {
  CannotResume,
  START,
  type EventStore,
  type HistoryWriter,
  type LogRecord,
  type Mark,
  type Position,
  type IdempotencyRecord,
} from '../port.ts';

type IdempotencyRow = readonly [string, string, string, Position, string];

const toIdempotencyRecord = ([
  key,
  fingerprint,
  result,
  position,
  expiresAt,
]: IdempotencyRow): IdempotencyRecord => ({
  key,
  fingerprint,
  result: JSON.parse(result) as JsonObject,
  position,
  expiresAt,
});

export interface EventReader extends Omit<
  EventStore,
  'append' | keyof HistoryWriter | 'claimKey' | 'releaseKey'
> {
  /** To be called when the event log has grown, which SQLite does not tell. */
  readonly advance: (position: Position) => void;
}

/** How often a subscription at the end looks for what another process has appended, such as the command line. */
const LOOK_MS = 500;

/** Reads, on the calling thread, the `events.db` that the writer has made. */
export const openEventReader = (file: string): EventReader => {
  const connection = openReader(file);
  const select = prepareReads(connection);
  const counts = createCounts(connection);
  const asPromise = <T>(read: () => T): Promise<T> => {
    try {
      return Promise.resolve(read());
    } catch (error) {
      return Promise.reject(toLogError(error, 'the event log cannot be read', file));
    }
  };
  const waiting = new Set<() => void>();
  let head: Position = select.head();

  const advance = (position: Position): void => {
    if (position <= head) return;
    head = position;
    for (const wake of waiting) wake();
    waiting.clear();
  };

  /** Resolves when there is an event after the position, or the signal is aborted. @throws when the file fails */
  const eventAfter = (position: Position, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      if (head > position || signal.aborted) {
        resolve();
        return;
      }
      const leave = () => {
        clearInterval(looking);
        signal.removeEventListener('abort', wake);
        waiting.delete(wake);
      };
      const wake = () => {
        leave();
        resolve();
      };
      const look = () => {
        try {
          advance(select.head());
        } catch (error) {
          leave();
          reject(explained('The event log cannot be read', error));
        }
      };
      const looking = setInterval(look, LOOK_MS).unref();
      waiting.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });

  return {
    advance,
    readStream: (stream, fromRevision = 0) => asPromise(() => select.stream(stream, fromRevision)),
    readStreams: (streams, types) => asPromise(() => select.streams(streams, types)),
    readAll: (after, limit) => asPromise(() => select.all(after, limit)),
    async *subscribe(after, { batchSize, signal, types }) {
      const wanted = types && JSON.stringify(types);
      if (after !== START && !select.record(after)) throw new CannotResume(after);
      let position = after;
      while (!signal.aborted) {
        if (head > position) {
          // Positions have no gaps, so a batch is a range of them whatever the types.
          const end = toPosition(Math.min(fromPosition(position) + batchSize, fromPosition(head)));
          const events = select.range(position, end, wanted);
          const last = select.mark(end);
          position = end;
          yield { events, position, isLast: position >= head, ...(last && { last }) };
        } else {
          await eventAfter(position, signal);
        }
      }
    },
    async *readGroups(read, signal) {
      for (const batch of groupsIn(file, read)) {
        yield await Promise.resolve(batch);
        if (signal.aborted) return;
      }
    },
    countOf: (types, upTo) => counts.of(types, fromPosition(upTo)),
    head: () =>
      asPromise(() => {
        advance(select.head());
        return head;
      }),
    lastAt: (time) => asPromise(() => select.lastAt(time)),
    recordAt: (position) => asPromise(() => select.record(position)),
    countAfter: (position) => Promise.resolve(Math.max(0, fromPosition(head) - fromPosition(position))),
    findIdempotencyRecord: (request) =>
      asPromise(() => stateBy(select.idempotencyRecord(request.key, request.storedAt), request)),
    idempotencyRecords: (now) => asPromise(() => select.idempotencyRecords(now)),
    close() {
      for (const wake of waiting) wake();
      connection.close();
      return Promise.resolve();
    },
  };
};

const prepareReads = (reader: Connection) => {
  const select = (rest: string) => reader.prepare(`SELECT ${COLUMNS} FROM events WHERE ${rest}`).raw();
  const head = reader.prepare('SELECT max(position) FROM events').raw();
  // From the end backwards. A number is no time, and sorts before every text.
  const lastAt = reader
    .prepare(
      `SELECT position FROM events
       WHERE CASE json_valid(metadata) WHEN 1 THEN metadata ->> '$.recordedAt' BETWEEN '' AND ? END
       ORDER BY position DESC LIMIT 1`,
    )
    .raw();
  const record = reader.prepare('SELECT id, stream, revision FROM events WHERE position = ?').raw();
  const stream = select('stream = ? AND revision >= ? ORDER BY revision');
  const listed = (column: string) => `${column} IN (SELECT value FROM json_each(?))`;
  const streams = select(listed('stream'));
  const typedStreams = select(`${listed('stream')} AND ${listed('type')}`);
  const all = select('position > ? ORDER BY position LIMIT ?');
  const range = select('position > ? AND position <= ? ORDER BY position');
  const typed = select(`position > ? AND position <= ? AND ${listed('type')} ORDER BY position`);
  const selectIdempotencyRecords = (condition: string) =>
    reader
      .prepare(`SELECT key, fingerprint, result, position, expires_at FROM receipts WHERE ${condition}`)
      .raw();
  const idempotencyRecord = selectIdempotencyRecords('key = ? AND expires_at > ?');
  const idempotencyRecords = selectIdempotencyRecords('expires_at > ?');
  const recordAt = (position: Position): LogRecord | undefined => {
    // A position of another kind of store may be read as a number too.
    if (toPosition(fromPosition(position)) !== position) return undefined;
    const row = record.get([fromPosition(position)]) as readonly [string, string, number] | undefined;
    return row && { id: row[0], stream: row[1], revision: row[2] };
  };
  return {
    record: recordAt,
    mark: (position: Position): Mark | undefined => {
      const { id } = recordAt(position) ?? {};
      return id === undefined ? undefined : { position, id };
    },
    head: (): Position => {
      const [position] = head.get([]) as readonly [number | null];
      return position === null ? START : toPosition(position);
    },
    lastAt: (time: string): Position => {
      const [position] = (lastAt.get([time]) ?? [0]) as readonly [number];
      return toPosition(position);
    },
    stream: (name: string, from: number) => (stream.all([name, from]) as Row[]).map(toEvent),
    streams: (names: readonly string[], types: readonly string[] | undefined) => {
      const wanted = JSON.stringify(names);
      const rows = types ? typedStreams.all([wanted, JSON.stringify(types)]) : streams.all([wanted]);
      return (rows as Row[]).map(toEvent);
    },
    all: (after: Position, limit: number) => (all.all([fromPosition(after), limit]) as Row[]).map(toEvent),
    range: (after: Position, last: Position, types: string | undefined) => {
      const bounds = [fromPosition(after), fromPosition(last)];
      const rows = types === undefined ? range.all(bounds) : typed.all([...bounds, types]);
      return (rows as Row[]).map(toEvent);
    },
    idempotencyRecord: (name: string, now: string) => {
      const row = idempotencyRecord.get([name, now]) as IdempotencyRow | undefined;
      return row && toIdempotencyRecord(row);
    },
    idempotencyRecords: (now: string) =>
      (idempotencyRecords.all([now]) as IdempotencyRow[]).map(toIdempotencyRecord),
  };
};
