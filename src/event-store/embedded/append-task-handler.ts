import { statSync } from 'node:fs';
import DataLoader from 'dataloader';
import type { TaskHandler } from '../../lib/worker-task.ts';
import { openWriter } from '../../sqlite/connections.ts';
import type { AppendRequest, AppendResult } from '../port.ts';
import { createBatchAppend } from './appends.ts';
import { createChecksumTracker } from './checksum-tracker.ts';
import { EVENTS_DATABASE_SCHEMA } from './schema.ts';

export interface WriterProtocol {
  readonly input:
    /** Opens `events.db`, made when missing: once, before anything else. */
    | { readonly file: string }
    | AppendRequest
    /** Adds checksums to so many of the events that have none; the reply says whether there may be more. */
    | { readonly addChecksums: number };
  readonly result: AppendResult | { readonly hasMore: boolean };
}

const openLogToAppend = (file: string) => {
  const connection = openWriter(file, 'FULL');
  connection.exec(EVENTS_DATABASE_SCHEMA);
  const checked = createChecksumTracker(connection);
  const append = createBatchAppend(connection, checked);
  const opened = statSync(file);
  /** Fails where the file was moved or replaced: an event that is appended to it would be lost. */
  const refuseMoved = (): void => {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.ino !== opened.ino || found.dev !== opened.dev)
      throw Object.assign(new Error('its file was moved or replaced: put it back, or restart the service'), {
        code: 'SQLITE_READONLY_DBMOVED',
      });
  };
  /** Appends of one turn share one transaction. */
  const appends = new DataLoader<AppendRequest, AppendResult>(
    (requests) =>
      new Promise((resolve) => {
        refuseMoved();
        resolve(append(requests));
      }),
    { cache: false, batchScheduleFn: queueMicrotask },
  );
  return {
    write: (request: AppendRequest) => appends.load(request),
    addChecksums: checked.addChecksums,
    close(): void {
      try {
        checked.close();
      } catch {
        // The next start notes it.
      }
      connection.close();
    },
  };
};

/** Writes the event log. While a batch is synced to disk the next one gathers, so that many callers share one sync. */
export const createAppendTaskHandler = (): TaskHandler<WriterProtocol> => {
  let opened: ReturnType<typeof openLogToAppend> | undefined;
  return {
    run(request) {
      if ('file' in request) {
        opened = openLogToAppend(request.file);
        return Promise.resolve({ hasMore: false });
      }
      if (!opened) throw new Error('No file is open');
      if ('stream' in request) return opened.write(request);
      return Promise.resolve({ hasMore: opened.addChecksums(request.addChecksums) });
    },
    close: () => opened?.close(),
  };
};
