import { toUSVString } from 'node:util';
import {
  closeAfter,
  inTransaction,
  openSideWriter,
  prepareNumberSelect,
  type Connection,
} from '../../sqlite/connections.ts';
import { LogUnavailableError, type AppendRequest, type AppendResult } from '../port.ts';
import { createChecksumTracker, type ChecksumTracker } from './checksum-tracker.ts';
import { checksumOf, EVENT_COLUMNS } from './event-rows.ts';
import { toLogError } from './failures.ts';
import { toPosition } from './schema.ts';

/** How long records are kept after they have expired, as the clock of a request may be fast. */
const KEPT_LONGER_MS = 24 * 3_600_000;

/**
 * Creates the function that appends a batch to `events.db` in one transaction, and so with one sync. Each append has a
 * savepoint, so that a refused one leaves no trace. It returns the result of each append, or the Error it failed with.
 *
 * @param connection writes to a file that has the tables of `EVENTS_DATABASE_SCHEMA`, or those of earlier code
 */
export const createBatchAppend = (
  connection: Connection,
  checked: ChecksumTracker = createChecksumTracker(connection),
) => {
  const prepared = {
    revision: prepareNumberSelect(connection, 'SELECT coalesce(max(revision), -1) FROM events WHERE stream = ?'),
    insert: connection.prepare(`INSERT INTO events (${EVENT_COLUMNS}, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`),
    forget: connection.prepare('DELETE FROM receipts WHERE expires_at <= ?'),
    remember: connection.prepare(
      `INSERT INTO receipts (key, fingerprint, result, position, expires_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (key) DO UPDATE SET fingerprint = excluded.fingerprint, result = excluded.result,
       position = excluded.position, expires_at = excluded.expires_at
     WHERE receipts.expires_at <= ?`,
    ),
  };
  let lastStoredAt = '';

  /**
   * Deletes what expired long ago by the clocks of two requests in a row: a fast clock of one must not delete records
   * of other requests.
   */
  const forgetExpired = (storedAt: string): void => {
    const earlier = storedAt < lastStoredAt ? storedAt : lastStoredAt;
    if (earlier !== '') prepared.forget.run([new Date(Date.parse(earlier) - KEPT_LONGER_MS).toISOString()]);
    lastStoredAt = storedAt;
  };

  const append = (request: AppendRequest, head: number): AppendResult => {
    const { stream, expectedRevision, events, idempotencyRecord } = request;
    if (prepared.revision(stream) !== expectedRevision) return { kind: 'wrong-revision' };
    const last = head + events.length;
    const position = events.length > 0 ? toPosition(last) : (request.lastSeen ?? toPosition(last));
    if (idempotencyRecord) {
      const { key, fingerprint, result, expiresAt, storedAt } = idempotencyRecord;
      forgetExpired(storedAt);
      const { changes } = prepared.remember.run([
        key,
        fingerprint,
        JSON.stringify(result),
        position,
        expiresAt,
        storedAt,
      ]);
      if (changes === 0) return { kind: 'key-taken' };
    }
    for (const [index, { id, type, version, data, metadata }] of events.entries()) {
      // SQLite cannot store a lone surrogate.
      const content = [
        head + 1 + index,
        toUSVString(stream),
        expectedRevision + 1 + index,
        toUSVString(id),
        toUSVString(type),
        version,
        JSON.stringify(data),
        JSON.stringify(metadata),
      ] as const;
      prepared.insert.run([...content, checksumOf(content)]);
    }
    return { kind: 'appended', position };
  };

  return (batch: readonly AppendRequest[]): (AppendResult | Error)[] =>
    inTransaction(connection, () => {
      const before = checked.begin();
      let head = before;
      const results = batch.map((request) => {
        connection.exec('SAVEPOINT one');
        try {
          const result = append(request, head);
          if (result.kind === 'appended') head += request.events.length;
          connection.exec('RELEASE one');
          return result;
        } catch (error) {
          // A full or failing disk may have undone the whole transaction.
          if (!connection.inTransaction) throw error;
          connection.exec('ROLLBACK TO one; RELEASE one');
          return error instanceof Error ? error : new Error(String(error));
        }
      });
      checked.end(before, head);
      return results;
    });
};

/**
 * Appends to an event log that another thread or process may be writing to, by a connection that is opened for this
 * append: operators' acts are few.
 *
 * @param file path of `events.db`, which the writer has made
 * @throws LogUnavailableError
 */
export const appendWithOwnConnection = (file: string, append: AppendRequest): AppendResult => {
  try {
    return closeAfter(openSideWriter(file), (connection) => {
      const [result] = createBatchAppend(connection)([append]);
      if (!result || result instanceof Error) throw result ?? new Error('There is no result');
      return result;
    });
  } catch (error) {
    const failure = toLogError(error, 'the event log cannot be written', file);
    throw failure instanceof LogUnavailableError
      ? failure
      : new LogUnavailableError('the event log cannot be written', { cause: error });
  }
};
