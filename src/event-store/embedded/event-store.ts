import { statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { errorMessageOf } from '../../lib/error.ts';
import { createBoundedCache } from '../../lib/bounded-cache.ts';
import type { HangStateListener } from '../../lib/heartbeat.ts';
import { createHangGuard } from '../../lib/hang-guard.ts';
import { openRestartedWorker } from '../../lib/restarted-worker.ts';
import {
  streamFromNewWorker,
  WorkerEndedError,
  createWorkerStarter,
  type StartWorker,
} from '../../lib/worker-client.ts';
import { closeAfter, openReader, prepareNumberSelect } from '../../sqlite/connections.ts';
import { fileFailureOf } from '../../sqlite/failures.ts';
import { toLogError, toUnusableLogError } from './failures.ts';
import { openEventReader } from './reader.ts';
import { toPosition } from './schema.ts';
import type { WriterProtocol } from './append-task-handler.ts';
import { findLogDamage, type VerifyProtocol } from './verify.ts';
import { withInMemoryKeyClaims } from './in-memory-claims.ts';
import {
  LogDamagedError,
  LogUnavailableError,
  type AppendRequest,
  type AppendResult,
  type LogDamage,
  type EventStore,
  type Position,
  type Revision,
} from '../port.ts';

const MAX_REVISIONS = 50_000;
/** Events that get checksums in one transaction, between two batches of appends. */
const CHECKSUMS_AT_ONCE = 500;

export interface EmbeddedOptions {
  /** Called when the writer thread has ended or could not be started again; it is then started again. */
  readonly onWriterEnded?: ((error: Error) => void) | undefined;
  /** Called when the writer thread has started again, with the last position of the event log. */
  readonly onWriterStarted?: ((head: Position) => void) | undefined;
  /** Called when the writer thread hangs, and when it answers again: meanwhile appends fail at once. */
  readonly onWriterHung?: HangStateListener | undefined;
  /** Called for each damage found while the file is verified in the background. Left out: it is not verified. */
  readonly onDamage?: ((damage: LogDamage) => void) | undefined;
  /** Left out: a worker thread. */
  readonly startWriter?: StartWorker<WriterProtocol> | undefined;
}

/** All of a log is read each time. */
const VERIFY_AGAIN_MS = 60_000;

const startWriterThread = createWorkerStarter<WriterProtocol>(new URL('./writer.thread.js', import.meta.url));

/** Larger files are verified in a thread of their own. */
const MAX_BYTES_ON_THIS_THREAD = 4_000_000;

/** Does what `findLogDamage` does, without making requests wait. */
const verifyInBackground = (file: string, signal: AbortSignal): AsyncGenerator<LogDamage, void, undefined> =>
  statSync(file).size <= MAX_BYTES_ON_THIS_THREAD
    ? findLogDamage(file, signal)
    : streamFromNewWorker<VerifyProtocol>(new URL('./verify.thread.js', import.meta.url), file, { signal });

/**
 * The event store in one SQLite file. A worker thread writes; the calling thread reads.
 *
 * @param file path of `events.db`; made when missing
 * @throws UnusableFileError when it cannot be opened
 */
export const openEmbeddedEventStore = async (file: string, options: EmbeddedOptions = {}): Promise<EventStore> => {
  const { onWriterEnded, onWriterStarted, onWriterHung, onDamage, startWriter = startWriterThread } = options;
  /**
   * Revisions of streams read or written lately: current for all streams but those of operators' acts, to which the
   * command line appends beside the writer thread.
   */
  const revisions = createBoundedCache<Revision>(MAX_REVISIONS);
  const note = (stream: string, revision: Revision): void => {
    if (revision >= (revisions.peek(stream) ?? revision)) revisions.set(stream, revision);
  };
  // An answer that comes later is still noted, though no caller waits for it.
  const guard = createHangGuard(
    () => new LogUnavailableError('the thread that writes the log does not answer'),
    onWriterHung,
  );
  const writer = await openRestartedWorker<WriterProtocol>(
    () => startWriter({ onHung: guard.onHung }),
    { file },
    {
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
    },
  ).catch((error: unknown) => {
    throw toUnusableLogError(file, error);
  });
  const { advance, ...reader } = openEventReader(file);
  const write = async (append: AppendRequest): Promise<AppendResult> => {
    try {
      const reply = await writer.run(append);
      if ('kind' in reply) return reply;
      throw new Error('The writer has answered something else');
    } catch (error) {
      const unwritable = 'the event log cannot be written';
      throw error instanceof WorkerEndedError
        ? new LogUnavailableError(unwritable, { cause: error })
        : toLogError(error, unwritable, file);
    }
  };
  const store = async (append: AppendRequest): Promise<AppendResult> => {
    const { stream, expectedRevision, events } = append;
    refuseDamaged(stream);
    const result = await write(append);
    if (result.kind === 'appended' && events.length > 0) {
      note(stream, expectedRevision + events.length);
      advance(result.position);
    }
    // The noted revision may be wrong: the next read takes it from the file.
    if (result.kind === 'wrong-revision') revisions.delete(stream);
    return result;
  };
  const append = (append: AppendRequest): Promise<AppendResult> => guard.unlessHung(() => store(append));

  /** By stream, the damage for which it is neither read nor appended to. */
  const damaged = new Map<string, LogDamage>();
  const refuseDamaged = (stream: string): void => {
    const damage = damaged.get(stream);
    if (damage) throw new LogDamagedError(damage);
  };
  const closing = new AbortController();
  /** Tries again what fails for a full disk or a limit of open files, which say nothing of the log. */
  const untilPassed = async (run: () => Promise<void>): Promise<void> => {
    const { signal } = closing;
    for (;;)
      try {
        await run();
        return;
      } catch (error) {
        if (fileFailureOf(error, file) !== 'passing') throw error;
        await delay(VERIFY_AGAIN_MS, undefined, { signal, ref: false });
      }
  };
  /** Verifies the log, and then, where all of it is sound, adds checksums to the events of earlier code. */
  const verify = async (signal: AbortSignal, onDamage: (damage: LogDamage) => void): Promise<void> => {
    let isSound = true;
    await untilPassed(async () => {
      for await (const damage of verifyInBackground(file, signal)) {
        isSound = false;
        for (const stream of damage.streams ?? []) damaged.set(stream, damage);
        onDamage(damage);
      }
    });
    await untilPassed(async () => {
      for (let isMore = isSound; isMore && !signal.aborted;) {
        const reply = await writer.run({ addChecksums: CHECKSUMS_AT_ONCE });
        isMore = 'hasMore' in reply && reply.hasMore;
      }
    });
  };
  const verified =
    onDamage &&
    verify(closing.signal, onDamage).catch((error: unknown) => {
      if (!closing.signal.aborted) onDamage({ file, what: `it cannot be verified: ${errorMessageOf(error)}` });
    });

  return {
    ...reader,
    ...withInMemoryKeyClaims({ append, findIdempotencyRecord: reader.findIdempotencyRecord }),
    async appendInOrder(appends) {
      // What is sent in one turn reaches the writer in one message, and is stored in one transaction.
      const results = await Promise.all(appends.map(append));
      return appends[results.findIndex(({ kind }) => kind !== 'appended')]?.stream;
    },
    async readStream(stream, fromRevision = 0) {
      refuseDamaged(stream);
      // A whole stream is read from the file, whatever is noted of it.
      if (fromRevision > 0 && (revisions.get(stream) ?? Infinity) < fromRevision) return [];
      const events = await reader.readStream(stream, fromRevision);
      note(stream, events.at(-1)?.revision ?? fromRevision - 1);
      return events;
    },
    async close() {
      closing.abort();
      await verified;
      await reader.close();
      await writer.close();
    },
  };
};

/** Reads one number from a file that another process may be writing. */
const readNumber = (file: string, select: string): number =>
  closeAfter(openReader(file), (reader) => prepareNumberSelect(reader, select)());

/** The last position as a number, 0 for an empty event log; the service may be running on the file. */
export const readEmbeddedHead = (file: string): number =>
  readNumber(file, 'SELECT coalesce(max(position), 0) FROM events');

/** Whether a file holds tables other than an event log's. @throws Error for a file that is no database */
export const holdsOtherTables = (file: string): boolean =>
  readNumber(
    file,
    "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name NOT IN ('events', 'receipts', 'lost') AND name NOT LIKE 'sqlite%'",
  ) > 0;
