import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Position } from '../../event-store/port.ts';
import { syncToDisk } from '../../lib/files.ts';
import type { HistoryEvent } from '../moment/history-event.ts';
import type { HistoryEventSource } from '../moment/history-event-source.ts';
import { openGrowingFile } from './files.ts';
import type { ExportWriterFactory } from './writer.ts';

const EVENTS_FILE = 'events.ndjson';

interface NdjsonOptions {
  /** Undefined: all. */
  readonly types: readonly string[] | undefined;
  /** Where the export ends. */
  readonly upTo: Position;
  readonly signal: AbortSignal;
  /** Resolves when so many more events may be read. */
  readonly throttle: (events: number) => Promise<void>;
  /** Told how many events of the event log are read, and of how many, about, if that is known. */
  readonly onRead: (events: number, of: number | undefined) => void;
}

/** Writes events straight from the log, a line of JSON each, into one file that grows. */
export const createNdjsonWriterFactory = (
  source: HistoryEventSource,
  { types, upTo: end, signal, throttle, onRead }: NdjsonOptions,
): ExportWriterFactory => {
  let read = 0;
  let of: Promise<number | undefined> | undefined;
  return async ({ operations, directory, files }) => {
    const file = await openGrowingFile(operations, join(directory, EVENTS_FILE), files.get(EVENTS_FILE));
    return {
      async write(range, maxEvents) {
        of ??= source.countIn({ after: range.after, upTo: end });
        const total = await of;
        let [events, unreadable] = [0, 0];
        let last: HistoryEvent | undefined;
        for await (const batch of source.read(range, types, maxEvents, signal)) {
          file.append(batch.events.map((event) => `${JSON.stringify(event)}\n`).join(''), batch.events.length);
          events += batch.events.length;
          unreadable += batch.events.filter((event) => event.unreadable !== undefined).length;
          last = batch.events.at(-1) ?? last;
          onRead((read += batch.read), total);
          await throttle(batch.read);
          // Reading a file never waits: without this a signal would not be seen.
          await setImmediate();
        }
        signal.throwIfAborted();
        file.sync();
        syncToDisk(directory, operations);
        const upTo = last && events >= maxEvents ? last.position : range.upTo;
        const id = last?.position === upTo ? last.id : undefined;
        return { upTo, id, events, unreadable, files: [file.written()] };
      },
      close: () => file.close(),
    };
  };
};
