import { openReader } from '../sqlite/connections.ts';
import { openWorker } from '../sqlite/worker-channel.ts';
import { openEventReader } from './embedded-reader.ts';
import type { WriterData } from './embedded-writer.ts';
import type { Append, AppendResult, EventStore, Revision } from './port.ts';

const MOST_NOTED = 50_000;

/**
 * The event store in one SQLite file. A worker thread writes; this thread reads.
 *
 * @param file path of `events.db`; made when missing
 */
export const openEmbeddedEventStore = async (file: string): Promise<EventStore> => {
  const writer = await openWorker<Append, AppendResult>(new URL('./embedded-writer.js', import.meta.url), {
    file,
  } satisfies WriterData);
  const { advance, ...reader } = openEventReader(file);
  /** The last revisions of streams that were read or written lately. Nobody else writes, so they are always true. */
  const revisions = new Map<string, Revision>();
  const note = (stream: string, revision: Revision): void => {
    if (revision < (revisions.get(stream) ?? revision)) return;
    revisions.delete(stream);
    revisions.set(stream, revision);
    if (revisions.size > MOST_NOTED) revisions.delete(revisions.keys().next().value ?? '');
  };

  return {
    ...reader,
    async append(append) {
      const { stream, expectedRevision, events } = append;
      const result = await writer.ask(append);
      if (result.kind === 'appended' && events.length > 0) {
        note(stream, expectedRevision + events.length);
        advance(result.position);
      }
      // What was noted may be the reason.
      if (result.kind === 'wrong-revision') revisions.delete(stream);
      return result;
    },
    async readStream(stream, fromRevision = 0) {
      if ((revisions.get(stream) ?? Infinity) < fromRevision) return [];
      const events = await reader.readStream(stream, fromRevision);
      note(stream, events.at(-1)?.revision ?? fromRevision - 1);
      return events;
    },
    async close() {
      await reader.close();
      await writer.close();
    },
  };
};

/** One number out of a file, read beside whoever writes it. */
const readNumber = (file: string, select: string): number => {
  const reader = openReader(file);
  try {
    const [number] = reader.prepare(select).raw().get([]) as readonly [number];
    return number;
  } finally {
    reader.close();
  }
};

/** The last position of a log, as a number, read beside whoever runs the service; 0 for an empty one. */
export const readEmbeddedHead = (file: string): number =>
  readNumber(file, 'SELECT coalesce(max(position), 0) FROM events');

/**
 * Whether a file holds tables that are not a log's.
 *
 * @throws Error for one that is no database
 */
export const holdsOtherTables = (file: string): boolean =>
  readNumber(
    file,
    "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name NOT IN ('events', 'receipts') AND name NOT LIKE 'sqlite%'",
  ) > 0;
