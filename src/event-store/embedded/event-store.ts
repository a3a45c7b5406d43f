import { createBoundedCache } from '../../lib/bounded-cache.ts';
import { startWatchedWorker, type OnHung } from '../../lib/heartbeat.ts';
import { closing, openReader } from '../../sqlite/connections.ts';
import { openWorker, WorkerEnded, type BatchThread } from '../../sqlite/worker-channel.ts';
import { toLogError, unusableLog } from './failures.ts';
import { openEventReader } from './reader.ts';
import { toPosition } from './schema.ts';
import type { WriterData } from './serve-appends.ts';
import { withHeldKeys } from './held-keys.ts';
import {
  LogDamaged,
  LogUnavailable,
  type Append,
  type AppendResult,
  type EventStore,
  type Position,
  type Revision,
} from '../port.ts';

const MAX_NOTED = 50_000;

export interface EmbeddedOptions {
  /** Called when the writer thread has ended or could not be started again; it is then started again. */
  readonly onWriterEnded?: ((error: Error) => void) | undefined;
  /** Called when the writer thread has started again, with the last position of the event log. */
  readonly onWriterStarted?: ((head: Position) => void) | undefined;
  /** Called when the writer thread hangs, and when it answers again: meanwhile appends fail at once. */
  readonly onWriterHung?: OnHung | undefined;
  /** Left out: a worker thread. */
  readonly startWriter?: StartWriter | undefined;
}

export type StartWriter = (data: WriterData, onHung: OnHung) => BatchThread;

const startWriterThread: StartWriter = (data, onHung) =>
  startWatchedWorker(new URL('./writer.thread.js', import.meta.url), { data, onHung });

const unanswered = (): LogUnavailable => new LogUnavailable('the thread that writes the log does not answer');

/**
 * The event store in one SQLite file. A worker thread writes; the calling thread reads.
 *
 * @param file path of `events.db`; made when missing
 * @throws UnusableFile when it cannot be opened
 */
export const openEmbeddedEventStore = async (
  file: string,
  options: EmbeddedOptions = {},
): Promise<EventStore> => {
  const { onWriterEnded, onWriterStarted, onWriterHung, startWriter = startWriterThread } = options;
  /**
   * Revisions of streams read or written lately: current for all streams but those of operators' acts, to which the
   * command line appends beside the writer thread.
   */
  const revisions = createBoundedCache<Revision>(MAX_NOTED);
  const note = (stream: string, revision: Revision): void => {
    if (revision >= (revisions.peek(stream) ?? revision)) revisions.set(stream, revision);
  };
  let isHung = false;
  /** Fail the appends that wait for the writer. */
  const waiting = new Set<(error: LogUnavailable) => void>();
  const onHung: OnHung = (hangs) => {
    isHung = hangs;
    if (hangs) for (const fail of waiting) fail(unanswered());
    onWriterHung?.(hangs);
  };
  /** What is answered after all is noted as well, though nobody waits for it any more. */
  const unlessHung = <T>(answer: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      waiting.add(reject);
      answer.then(resolve, reject).finally(() => waiting.delete(reject));
    });
  const writer = await openWorker<Append, AppendResult>(() => startWriter({ file }, onHung), {
    onEnded(error) {
      // The writer may have stored appends that it had not answered.
      revisions.clear();
      onWriterEnded?.(error);
    },
    onStarted() {
      try {
        const head = toPosition(readEmbeddedHead(file));
        advance(head);
        onWriterStarted?.(head);
      } catch {
        // The next append tells where the event log ends.
      }
    },
  }).catch((error: unknown) => {
    throw unusableLog(file, error);
  });
  const { advance, ...reader } = openEventReader(file);
  /** An append onto a damaged file could make it worse. */
  let damage: LogDamaged | undefined;
  const noting = <T>(answer: Promise<T>): Promise<T> =>
    answer.catch((error: unknown) => {
      if (error instanceof LogDamaged) damage ??= error;
      throw error;
    });
  const write = async (append: Append): Promise<AppendResult> => {
    try {
      return await writer.ask(append);
    } catch (error) {
      const unwritable = 'the event log cannot be written';
      throw error instanceof WorkerEnded
        ? new LogUnavailable(unwritable, { cause: error })
        : toLogError(error, unwritable, file);
    }
  };
  const store = async (append: Append): Promise<AppendResult> => {
    const { stream, expectedRevision, events } = append;
    const result = await noting(write(append));
    if (result.kind === 'appended' && events.length > 0) {
      note(stream, expectedRevision + events.length);
      advance(result.position);
    }
    // In case the noted revision was wrong: the next read looks into the file.
    if (result.kind === 'wrong-revision') revisions.delete(stream);
    return result;
  };
  const append = async (append: Append): Promise<AppendResult> => {
    if (damage) throw damage;
    if (isHung) throw unanswered();
    return unlessHung(store(append));
  };

  return {
    ...reader,
    ...withHeldKeys({
      append,
      findIdempotencyRecord: (request) => noting(reader.findIdempotencyRecord(request)),
    }),
    async appendInOrder(appends) {
      // What is sent in one turn reaches the writer in one message, and is stored in one transaction.
      const results = await Promise.all(appends.map(append));
      return appends[results.findIndex(({ kind }) => kind !== 'appended')]?.stream;
    },
    async readStream(stream, fromRevision = 0) {
      // A whole stream is read from the file, whatever is noted of it.
      if (fromRevision > 0 && (revisions.get(stream) ?? Infinity) < fromRevision) return [];
      const events = await noting(reader.readStream(stream, fromRevision));
      note(stream, events.at(-1)?.revision ?? fromRevision - 1);
      return events;
    },
    readStreams: (streams, types) => noting(reader.readStreams(streams, types)),
    recordAt: (position) => noting(reader.recordAt(position)),
    async close() {
      await reader.close();
      await writer.close();
    },
  };
};

/** Reads one number from a file that another process may be writing. */
const readNumber = (file: string, select: string): number =>
  closing(openReader(file), (reader) => {
    const [number] = reader.prepare(select).raw().get([]) as readonly [number];
    return number;
  });

/** The last position as a number, 0 for an empty event log; the service may be running on the file. */
export const readEmbeddedHead = (file: string): number =>
  readNumber(file, 'SELECT coalesce(max(position), 0) FROM events');

/** Whether a file holds tables other than an event log's. @throws Error for a file that is no database */
export const holdsOtherTables = (file: string): boolean =>
  readNumber(
    file,
    "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name NOT IN ('events', 'receipts') AND name NOT LIKE 'sqlite%'",
  ) > 0;
