import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { EventData } from '../../src/event-store/port.ts';

/** A row without its position, which the worker knows. */
export type Row = readonly [string, number, string, string, number, string, string];

/** Opens bare group commit on a new file: rows go to one worker, which answers how many it has committed. */
export const openBareStore = async (file: string) => {
  const worker = new Worker(new URL('./bare-store-writer.js', import.meta.url), { workerData: file });
  await once(worker, 'message');
  const waiting: (() => void)[] = [];
  worker.on('message', (committed: number) => {
    for (const resolve of waiting.splice(0, committed)) resolve();
  });
  // A failure of the baseline ends the measurement.
  worker.on('error', (error) => {
    throw error;
  });
  return {
    append: (stream: string, revision: number, { id, type, version, data, metadata }: EventData) =>
      new Promise<void>((resolve) => {
        waiting.push(resolve);
        const row: Row = [
          stream,
          revision,
          id,
          type,
          version,
          JSON.stringify(data),
          JSON.stringify(metadata),
        ];
        worker.postMessage(row);
      }),
    async close() {
      const exited = once(worker, 'exit');
      worker.postMessage(null);
      await exited;
    },
  };
};
