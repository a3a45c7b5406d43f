import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { EventStore } from '../event-store/port.ts';
import type { EventStoreSettings } from '../stores.ts';
import type { FromGroupReader } from './group-reader-messages.ts';

/** It parses nothing, so that text is all that it holds. */
const HEAP_MB = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 };

/**
 * `readGroups` of a log, in a thread of its own.
 *
 * @param onDropped told of each subscription that was dropped; it goes on by itself
 */
export const groupReader = (
  settings: EventStoreSettings,
  onDropped: (error: unknown) => void,
): EventStore['readGroups'] =>
  async function* (read, signal) {
    const worker = new Worker(new URL('./group-reader-thread.js', import.meta.url), {
      workerData: { settings, read },
      resourceLimits: HEAP_MB,
    });
    try {
      for await (const [message] of on(worker, 'message', { signal, close: ['exit'] }) as AsyncIterable<
        [FromGroupReader]
      >)
        switch (message.kind) {
          case 'batch':
            yield message.batch;
            worker.postMessage('taken');
            break;
          case 'dropped':
            onDropped(message.error);
            break;
          case 'end':
            return;
        }
      throw new Error('The thread that reads groups has ended before they were read');
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      await worker.terminate();
    }
  };
