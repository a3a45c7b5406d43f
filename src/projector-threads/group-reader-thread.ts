import { workerData } from 'node:worker_threads';
import type { GroupRead } from '../event-store/port.ts';
import { streamToParent } from '../lib/thread-stream.ts';
import { openLog, type EventStoreSettings } from '../stores.ts';

const { settings, read } = workerData as { readonly settings: EventStoreSettings; readonly read: GroupRead };
// A subscription that is dropped goes on by itself; the projector's own tells of it.
const eventStore = await openLog(settings, () => undefined);
await streamToParent((signal) => eventStore.readGroups(read, signal));
await eventStore.close();
