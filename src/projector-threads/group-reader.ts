import type { EventLog, GroupBatch } from '../event-store/port.ts';
import { streamOfThread } from '../lib/thread-stream.ts';
import type { EventStoreSettings } from '../stores.ts';

/** The thread parses nothing: text is all that it holds. */
export const LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 };

/** `readGroups` in a thread of its own: SQLite sorts for seconds, and blocks its thread meanwhile. */
export const groupReader =
  (settings: EventStoreSettings): EventLog['readGroups'] =>
  (read, signal) =>
    streamOfThread<GroupBatch>(
      new URL('./group-reader.thread.js', import.meta.url),
      { workerData: { settings, read }, resourceLimits: LIMITS },
      signal,
    );
