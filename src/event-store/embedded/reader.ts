import { openReader, type Connection } from '../../sqlite/connections.ts';
import type { JsonObject } from '../../schema/json.ts';
import { createCounts } from './counts.ts';
import { toLogError } from './failures.ts';
import { fromPosition, toPosition } from './schema.ts';
import { createRows } from './rows.ts';
import { groupsIn } from './groups.ts';
import { stateBy } from './in-memory-claims.ts';
import {
  CannotResume,
  START,
  type EventStore,
  type BulkAppender,
  type LogRecord,
  type Position,
  type IdempotencyRecord,
  type RecordedEvent,
} from '../port.ts';

type IdempotencyRow = readonly [
  key: Buffer,
  fingerprint: Buffer,
  result: Buffer,
  position: Buffer,
  expiresAt: Buffer,
];

const toIdempotencyRecord = (row: IdempotencyRow): IdempotencyRecord => {
  const [key = '', fingerprint = '', result = '', position = '', expiresAt = ''] = row.map((bytes) =>
    bytes.toString(),
  );
  return { key, fingerprint, result: JSON.parse(result) as JsonObject, position, expiresAt };
};

export interface EventReader extends Omit<
  EventStore,
  'append' | keyof BulkAppender | 'claimKey' | 'releaseKey'
> {
  /** To be called when the event log has grown, since SQLite does not report it. */
  readonly advance: (position: Position) => void;
}

/** How often a subscription at the end looks for events of another process, such as the command line. */
const POLL_MS = 2_000;

/** Reads, on the calling thread, the `events.db` that the writer has made. */
export const openEventReader = (file: string): EventReader => {
  const connection = openReader(file);
  const select = prepareReads(connection, file);
  const counts = createCounts(connection, file);
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
          reject(toLogError(error, 'the event log cannot be read', file));
        }
      };
      const looking = setInterval(look, POLL_MS).unref();
      waiting.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });

  return {
    advance,
    readStream: (stream, fromRevision = 0) => asPromise(() => select.stream(stream, fromRevision)),
    readStreams: (streams) => asPromise(() => select.streams(streams)),
    readAll: (after, limit) =>
      asPromise(() => {
        const from = fromPosition(after);
        const end = select.lost.reach(from, limit);
        if (end > fromPosition(head)) advance(select.head());
        return select.range(from, Math.max(from, Math.min(end, fromPosition(head))));
      }),
    async *subscribe(after, { batchSize, signal, types }) {
      const wanted = types && new Set(types);
      if (after !== START && !select.record(after)) throw new CannotResume(after);
      let position = after;
      while (!signal.aborted) {
        if (head > position) {
          // Positions have no gaps but lost ones, so a batch is a range of them whatever the types.
          const end = Math.min(select.lost.reach(fromPosition(position), batchSize), fromPosition(head));
          const { events, last } = select.batch(fromPosition(position), end, wanted);
          position = toPosition(end);
          yield { events, position, isLast: position >= head, last };
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
    recordAt: (position) => asPromise(() => select.record(position)),
    countAfter: (position) => {
      const [after, end] = [fromPosition(position), fromPosition(head)];
      return Promise.resolve(Math.max(0, end - after - select.lost.count(after, end)));
    },
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

/** All columns of `receipts`, as bytes, for the reason that `Row` has. */
export const IDEMPOTENCY_COLUMNS = ['key', 'fingerprint', 'result', 'position', 'expires_at']
  .map((column) => `CAST(${column} AS BLOB)`)
  .join();

const prepareReads = (reader: Connection, file: string) => {
  const rows = createRows(reader, file);
  const selectIdempotencyRecords = (condition: string) =>
    reader.prepare(`SELECT ${IDEMPOTENCY_COLUMNS} FROM receipts WHERE ${condition}`).raw();
  const idempotencyRecord = selectIdempotencyRecords('key = ? AND expires_at > ?');
  const idempotencyRecords = selectIdempotencyRecords('expires_at > ?');
  const ofTypes = (events: RecordedEvent[], types: ReadonlySet<string> | undefined): RecordedEvent[] =>
    types ? events.filter(({ type }) => types.has(type)) : events;
  return {
    lost: rows.lost,
    head: (): Position => toPosition(rows.head()),
    range: (after: number, end: number) => rows.range(after, end),
    /** The events of some types, or all, in a range of positions that is not empty, and its last event. */
    batch: (after: number, end: number, types: ReadonlySet<string> | undefined) => {
      const read = rows.range(after, end);
      const id = read.at(-1)?.id ?? '';
      return { events: ofTypes(read, types), last: { position: toPosition(end), id } };
    },
    record: (position: Position): LogRecord | undefined => {
      // A position of another kind of store may look like a number, too.
      if (toPosition(fromPosition(position)) !== position) return undefined;
      const event = rows.at(fromPosition(position));
      return event && { id: event.id, stream: event.stream, revision: event.revision };
    },
    stream: (name: string, from: number) => rows.stream(name, from),
    streams: (names: readonly string[]) => rows.streams(names),
    idempotencyRecord: (name: string, now: string) => {
      const row = idempotencyRecord.get([name, now]) as IdempotencyRow | undefined;
      return row && toIdempotencyRecord(row);
    },
    idempotencyRecords: (now: string) =>
      (idempotencyRecords.all([now]) as IdempotencyRow[]).map(toIdempotencyRecord),
  };
};
