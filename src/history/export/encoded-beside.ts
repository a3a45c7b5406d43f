import type { ResourceLimits } from 'node:worker_threads';
import { streamOfThread, threadsEnded } from '../../lib/thread-stream.ts';
import { HEAP } from '../threads/in-thread.ts';
import type { Encoded, FileRows, ReadEncoded } from './encoded.ts';
import type { EncodeOrder } from './encode-in-turn.ts';
import type { ExportForm } from './formats.ts';

/** One for each of two cores: the thread that writes mostly waits. */
const THREADS = 2;
/** Beside DuckDB, with which Parquet is made, there is less memory. */
const heapFor = ({ format }: ExportForm): ResourceLimits =>
  format === 'parquet' ? { ...HEAP, maxYoungGenerationSizeMb: 24 } : HEAP;

/** Reads all events of a file, encoded by several threads in turn. */
export const encodedBeside = (
  order: Pick<EncodeOrder, 'eventStore' | 'form' | 'maskSecret'>,
): ReadEncoded<readonly FileRows[]> =>
  async function* (range, partEvents, signal) {
    const threads = Array.from({ length: THREADS }, (_, turn) => {
      const workerData: EncodeOrder = { ...order, range, partEvents, turn, turns: THREADS };
      const module = new URL('./encode.thread.js', import.meta.url);
      return streamOfThread<Encoded<readonly FileRows[]>>(
        module,
        { workerData, resourceLimits: heapFor(order.form) },
        signal,
      );
    });
    try {
      for (;;)
        for (const { value } of await Promise.all(threads.map((thread) => thread.next()))) {
          // Slices go round the threads: where one has none left, no later one has.
          if (!value) return;
          yield value;
        }
    } finally {
      await Promise.all(threads.map((thread) => thread.return()));
      await threadsEnded();
    }
  };
