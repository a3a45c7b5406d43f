import { statSync } from 'node:fs';
import type { MessagePort } from 'node:worker_threads';
import { openWriter } from '../../sqlite/connections.ts';
import { serveBatches } from '../../sqlite/worker-loop.ts';
import type { Append, AppendResult } from '../port.ts';
import { createAppends } from './appends.ts';
import { createCheckedPosition } from './checked-position.ts';
import { EVENTS_SCHEMA } from './schema.ts';

export interface WriterData {
  /** Path of `events.db`; made when missing. */
  readonly file: string;
}

/** Adds checksums to so many of the events that have none; the reply says whether there may be more. */
export interface AddChecksums {
  readonly addChecksums: number;
}
export type WriterRequest = Append | AddChecksums;
export type WriterReply = AppendResult | { readonly hasMore: boolean };

/** Answers what arrives at a port, by default this worker thread's: appends that wait share one transaction. */
export const serveAppends = ({ file }: WriterData, port?: MessagePort): void => {
  const connection = openWriter(file, 'FULL');
  connection.exec(EVENTS_SCHEMA);
  const checked = createCheckedPosition(connection);
  const append = createAppends(connection, checked);
  const opened = statSync(file);
  /** An event that is appended to a file that was moved away or replaced would not be found again. */
  const refuseMoved = (): void => {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.ino !== opened.ino || found.dev !== opened.dev)
      throw Object.assign(new Error('its file was moved or replaced: put it back, or restart the service'), {
        code: 'SQLITE_READONLY_DBMOVED',
      });
  };
  const handle = (requests: readonly WriterRequest[]): unknown[] => {
    refuseMoved();
    const results = append(requests.filter((request) => 'stream' in request));
    return requests.map((request) =>
      'stream' in request ? results.shift() : { hasMore: checked.addChecksums(request.addChecksums) },
    );
  };
  const close = (): void => {
    try {
      checked.close();
    } catch {
      // The next start notes it.
    }
    connection.close();
  };
  serveBatches({ handle, close }, port);
};
