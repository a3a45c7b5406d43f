import { workerData } from 'node:worker_threads';
import { openWriter } from '../../sqlite/connections.ts';
import { serveBatches } from '../../sqlite/worker-loop.ts';
import { createAppends } from './appends.ts';
import { EVENTS_SCHEMA } from './schema.ts';

/** The worker thread in which a process writes to the event log: waiting appends share one transaction. */
export interface WriterData {
  readonly file: string;
}

const { file } = workerData as WriterData;
const connection = openWriter(file, 'FULL');
connection.exec(EVENTS_SCHEMA);

serveBatches({ handle: createAppends(connection), close: () => connection.close() });
