import type { EventLog } from '../event-store/port.ts';
import { streamTask } from '../lib/worker-client.ts';
import type { EventStoreSettings } from '../stores.ts';
import type { ReadGroupsTask } from './messages.ts';

/** The thread parses nothing: text is all that it holds. */
export const LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 };

/** `readGroups` in a thread of its own: SQLite sorts for seconds, and blocks its thread meanwhile. */
export const readGroupsInThread =
  (settings: EventStoreSettings): EventLog['readGroups'] =>
  (read, signal) =>
    streamTask<ReadGroupsTask>(
      new URL('./group-reader.thread.js', import.meta.url),
      { settings, read },
      { resourceLimits: LIMITS, signal },
    );
