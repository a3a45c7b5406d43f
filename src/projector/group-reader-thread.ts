import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import type { GroupRead } from '../event-store/port.ts';
import { openLog, type EventStoreSettings } from '../stores.ts';
import type { FromGroupReader } from './group-reader-messages.ts';

/** The thread that reads and sorts the events of a build: SQLite sorts for seconds, and nothing else happens meanwhile. */
const { settings, read } = workerData as { readonly settings: EventStoreSettings; readonly read: GroupRead };
const port = parentPort;
if (!port) throw new Error('This module runs in a worker thread');
const post = (message: FromGroupReader): void => port.postMessage(message);

/** Batches that are on their way to the projector's thread, which answers each when it is taken. */
const MAX_AHEAD = 2;

const eventStore = await openLog(settings, (error) =>
  post({ kind: 'dropped', error: error instanceof Error ? error : new Error(String(error)) }),
);
let ahead = 0;
port.on('message', () => ahead--);
const isFull = (): boolean => ahead >= MAX_AHEAD;
// The thread that wants no more ends this one.
const { signal } = new AbortController();
for await (const batch of eventStore.readGroups(read, signal)) {
  post({ kind: 'batch', batch });
  ahead++;
  while (isFull()) await once(port, 'message');
}
post({ kind: 'end' });
await eventStore.close();
port.close();
