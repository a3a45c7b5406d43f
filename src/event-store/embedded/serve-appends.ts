import type { MessagePort } from 'node:worker_threads';
import { openWriter } from '../../sqlite/connections.ts';
import { serveBatches } from '../../sqlite/worker-loop.ts';
import { createAppends } from './appends.ts';
import { EVENTS_SCHEMA } from './schema.ts';

export interface WriterData {
  /** Path of `events.db`; made when missing. */
  readonly file: string;
}

/** Stores the appends that arrive at a port, by default this worker thread's: those that wait share one transaction. */
export const serveAppends = ({ file }: WriterData, port?: MessagePort): void => {
  const connection = openWriter(file, 'FULL');
  connection.exec(EVENTS_SCHEMA);
  serveBatches({ handle: createAppends(connection), close: () => connection.close() }, port);
};
