import { openReader, type Connection } from '../sqlite/connections.ts';
import { openWorker } from '../sqlite/worker-channel.ts';
import {
  START,
  type Append,
  type AppendResult,
  type EventStore,
  type Position,
  type RecordedEvent,
} from './port.ts';
import type { WriterData } from './embedded-writer.ts';
import { fromPosition, toPosition } from './embedded-schema.ts';
import type { JsonObject } from '../json.ts';

const COLUMNS = 'position, stream, revision, id, type, version, data, metadata';
type Row = readonly [number, string, number, string, string, number, string, string];

const toEvent = ([position, stream, revision, id, type, version, data, metadata]: Row): RecordedEvent => ({
  position: toPosition(position),
  stream,
  revision,
  id,
  type,
  version,
  data: JSON.parse(data) as JsonObject,
  metadata: JSON.parse(metadata) as JsonObject,
});

/**
 * The event store in one SQLite file. A worker thread writes; this thread reads.
 *
 * @param file path of `events.db`; made when missing
 */
export const openEmbeddedEventStore = async (file: string): Promise<EventStore> => {
  const writer = await openWorker<Append, AppendResult>(new URL('./embedded-writer.js', import.meta.url), {
    file,
  } satisfies WriterData);
  const reader = openReader(file);
  const select = prepareReads(reader);
  const waiting = new Set<() => void>();
  let head: Position = select.head();

  const advance = (position: Position) => {
    if (position <= head) return;
    head = position;
    for (const wake of waiting) wake();
    waiting.clear();
  };

  /** Resolves when there is an event after the position, or the signal is aborted. */
  const eventAfter = (position: Position, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      if (head > position || signal.aborted) {
        resolve();
        return;
      }
      const wake = () => {
        signal.removeEventListener('abort', wake);
        waiting.delete(wake);
        resolve();
      };
      waiting.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });

  return {
    async append(append) {
      const result = await writer.ask(append);
      if (result.kind === 'appended' && append.events.length > 0) advance(result.position);
      return result;
    },
    readStream: (stream, fromRevision = 0) => Promise.resolve(select.stream(stream, fromRevision)),
    readAll: (after, limit) => Promise.resolve(select.all(after, limit)),
    async *subscribe(after, { batchSize, signal }) {
      let position = after;
      while (!signal.aborted) {
        const batch = select.all(position, batchSize);
        const last = batch.at(-1);
        if (last) {
          position = last.position;
          yield batch;
        } else {
          await eventAfter(position, signal);
        }
      }
    },
    head: () => Promise.resolve(head),
    countAfter: (position) => Promise.resolve(Math.max(0, fromPosition(head) - fromPosition(position))),
    findReceipt: (key, now) => Promise.resolve(select.receipt(key, now)),
    async close() {
      for (const wake of waiting) wake();
      reader.close();
      await writer.close();
    },
  };
};

const prepareReads = (reader: Connection) => {
  const head = reader.prepare('SELECT max(position) FROM events').raw();
  const stream = reader
    .prepare(`SELECT ${COLUMNS} FROM events WHERE stream = ? AND revision >= ? ORDER BY revision`)
    .raw();
  const all = reader
    .prepare(`SELECT ${COLUMNS} FROM events WHERE position > ? ORDER BY position LIMIT ?`)
    .raw();
  const receipt = reader
    .prepare(
      'SELECT key, fingerprint, result, position, expires_at FROM receipts WHERE key = ? AND expires_at > ?',
    )
    .raw();
  return {
    head: (): Position => {
      const [position] = head.get([]) as readonly [number | null];
      return position === null ? START : toPosition(position);
    },
    stream: (name: string, from: number) => (stream.all([name, from]) as Row[]).map(toEvent),
    all: (after: Position, limit: number) => (all.all([fromPosition(after), limit]) as Row[]).map(toEvent),
    receipt: (name: string, now: string) => {
      const row = receipt.get([name, now]) as readonly [string, string, string, string, string] | undefined;
      if (!row) return undefined;
      const [key, fingerprint, result, position, expiresAt] = row;
      return { key, fingerprint, result: JSON.parse(result) as JsonObject, position, expiresAt };
    },
  };
};

/** The last position of a log, as a number, read beside whoever runs the service; 0 for an empty one. */
export const readEmbeddedHead = (file: string): number => {
  const reader = openReader(file);
  try {
    const [position] = reader
      .prepare('SELECT coalesce(max(position), 0) FROM events')
      .raw()
      .get([]) as readonly [number];
    return position;
  } finally {
    reader.close();
  }
};
