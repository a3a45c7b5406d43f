import { workerData } from 'node:worker_threads';
import type { GroupRead } from '../event-store/port.ts';
import { streamToParent } from '../lib/thread-stream.ts';
import { openLog, type EventStoreSettings } from '../stores.ts';

const { settings, read } = workerData as { readonly settings: EventStoreSettings; readonly read: GroupRead };
// A dropped subscription resumes by itself; the projector's own one is reported.
const eventStore = await openLog(settings, () => undefined);
await streamToParent((signal) => eventStore.readGroups(read, signal));
await eventStore.close();
