import { openReader } from '../../sqlite/connections.ts';
import type { JsonObject } from '../../schema/json.ts';
import { createEventTypeCounter } from './event-type-counter.ts';
import { toLogError } from './failures.ts';
import { toPositionNumber, toPosition } from './schema.ts';
import { createVerifyingReader } from './verifying-reader.ts';
import { readSortedGroups } from './groups.ts';
import { keyStateOf } from './in-memory-claims.ts';
import {
  CannotResumeError,
  START_POSITION,
  type EventStore,
  type BulkAppender,
  type Position,
  type IdempotencyRecord,
  type RecordedEvent,
} from '../port.ts';

type IdempotencyRow = readonly [key: Buffer, fingerprint: Buffer, result: Buffer, position: Buffer, expiresAt: Buffer];

const toIdempotencyRecord = (row: IdempotencyRow): IdempotencyRecord => {
  const [key = '', fingerprint = '', result = '', position = '', expiresAt = ''] = row.map((bytes) => bytes.toString());
  return { key, fingerprint, result: JSON.parse(result) as JsonObject, position, expiresAt };
};

export interface EventReader extends Omit<EventStore, 'append' | keyof BulkAppender | 'claimKey' | 'releaseKey'> {
  /** To be called when the event log has grown, since SQLite does not report it. */
  readonly advance: (position: Position) => void;
}

/** All columns of `receipts`, as bytes, for the reason that `EventRow` has. */
export const IDEMPOTENCY_COLUMNS = ['key', 'fingerprint', 'result', 'position', 'expires_at']
  .map((column) => `CAST(${column} AS BLOB)`)
  .join();

/** How often a subscription at the end looks for events of another process, such as the command line. */
const POLL_MS = 2_000;

/** Reads, on the calling thread, the `events.db` that the writer has made. */
export const openEventReader = (file: string): EventReader => {
  const connection = openReader(file);
  const rows = createVerifyingReader(connection, file);
  const selectRecords = (condition: string) =>
    connection.prepare(`SELECT ${IDEMPOTENCY_COLUMNS} FROM receipts WHERE ${condition}`).raw();
  const idempotencyRecord = selectRecords('key = ? AND expires_at > ?');
  const idempotencyRecords = selectRecords('expires_at > ?');
  const counts = createEventTypeCounter(connection, file);
  const asPromise = <T>(read: () => T): Promise<T> => {
    try {
      return Promise.resolve(read());
    } catch (error) {
      return Promise.reject(toLogError(error, 'the event log cannot be read', file));
    }
  };
  const waiting = new Set<() => void>();
  let head: Position = toPosition(rows.head());

  /** The event exactly at a position; one of another kind of store may look like a number, too. */
  const eventAt = (position: Position): RecordedEvent | undefined =>
    toPosition(toPositionNumber(position)) === position ? rows.at(toPositionNumber(position)) : undefined;

  const advance = (position: Position): void => {
    if (position <= head) return;
    head = position;
    for (const wake of waiting) wake();
    waiting.clear();
  };

  const look = (): void => advance(toPosition(rows.head()));

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
      const poll = () => {
        try {
          look();
        } catch (error) {
          leave();
          reject(toLogError(error, 'the event log cannot be read', file));
        }
      };
      const looking = setInterval(poll, POLL_MS).unref();
      waiting.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });

  return {
    advance,
    readStream: (stream, fromRevision = 0) => asPromise(() => rows.stream(stream, fromRevision)),
    readStreams: (streams) => asPromise(() => rows.streams(streams)),
    readAll: (after, limit) =>
      asPromise(() => {
        const from = toPositionNumber(after);
        const end = rows.lost.reach(from, limit);
        if (end > toPositionNumber(head)) look();
        return rows.range(from, Math.max(from, Math.min(end, toPositionNumber(head))));
      }),
    async *subscribe(after, { batchSize, signal, types }) {
      const wanted = types && new Set(types);
      if (after !== START_POSITION && !eventAt(after)) throw new CannotResumeError(after);
      let position = after;
      while (!signal.aborted) {
        if (head > position) {
          // Positions have no gaps but lost ones, so a batch is a range of them whatever the types.
          const end = Math.min(rows.lost.reach(toPositionNumber(position), batchSize), toPositionNumber(head));
          const read = rows.range(toPositionNumber(position), end);
          position = toPosition(end);
          const events = wanted ? read.filter(({ type }) => wanted.has(type)) : read;
          const last = { position, id: read.at(-1)?.id ?? '' };
          yield { events, position, isLast: position >= head, last };
        } else {
          await eventAfter(position, signal);
        }
      }
    },
    async *readGroups(read, signal) {
      for (const batch of readSortedGroups(file, read)) {
        yield await Promise.resolve(batch);
        if (signal.aborted) return;
      }
    },
    countOf: (types, upTo) => counts.of(types, toPositionNumber(upTo)),
    head: () =>
      asPromise(() => {
        look();
        return head;
      }),
    recordAt: (position) =>
      asPromise(() => {
        const event = eventAt(position);
        return event && { id: event.id, stream: event.stream, revision: event.revision };
      }),
    countAfter: (position) => {
      const [after, end] = [toPositionNumber(position), toPositionNumber(head)];
      return Promise.resolve(Math.max(0, end - after - rows.lost.count(after, end)));
    },
    findIdempotencyRecord: (request) =>
      asPromise(() => {
        const row = idempotencyRecord.get([request.key, request.storedAt]) as IdempotencyRow | undefined;
        return keyStateOf(row && toIdempotencyRecord(row), request);
      }),
    idempotencyRecords: (now) =>
      asPromise(() => (idempotencyRecords.all([now]) as IdempotencyRow[]).map(toIdempotencyRecord)),
    close() {
      for (const wake of waiting) wake();
      connection.close();
      return Promise.resolve();
    },
  };
};
