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

/** Has the next events that have no checksum given theirs; the answer says whether there may be more. */
export interface GiveChecksums {
  readonly giveChecksums: number;
}
export type WriterRequest = Append | GiveChecksums;
export type WriterReply = AppendResult | { readonly isMoreToGive: boolean };

/** Answers what arrives at a port, by default this worker thread's: appends that wait share one transaction. */
export const serveAppends = ({ file }: WriterData, port?: MessagePort): void => {
  const connection = openWriter(file, 'FULL');
  connection.exec(EVENTS_SCHEMA);
  const checked = createCheckedPosition(connection);
  const append = createAppends(connection, checked);
  const opened = statSync(file);
  /** What is appended to a file that was moved away, or in whose place another one stands, is not found again. */
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
      'stream' in request ? results.shift() : { isMoreToGive: checked.give(request.giveChecksums) },
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
