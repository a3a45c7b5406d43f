import { streamOfThread } from '../../lib/thread-stream.ts';
import { HEAP } from '../threads/in-thread.ts';
import type { Encoded, FileRows, ReadEncoded } from './encoded.ts';
import type { EncodeOrder } from './encode-in-turn.ts';

/** The thread that writes mostly waits for them. */
const THREADS = 2;

/** Reads all events of a file, encoded by several threads in turn. */
export const encodedBeside = (
  order: Pick<EncodeOrder, 'eventStore' | 'form' | 'maskSecret'>,
): ReadEncoded<readonly FileRows[]> =>
  async function* (range, partEvents, signal) {
    const threads = Array.from({ length: THREADS }, (_, turn) => {
      const workerData: EncodeOrder = { ...order, range, partEvents, turn, turns: THREADS };
      const module = new URL('./encode-thread.js', import.meta.url);
      return streamOfThread<Encoded<readonly FileRows[]>>(
        module,
        { workerData, resourceLimits: HEAP },
        signal,
      );
    });
    try {
      for (;;)
        for (const { value } of await Promise.all(threads.map((thread) => thread.next()))) {
          // Slices are encoded in turn: none comes after one that a thread has not.
          if (!value) return;
          yield value;
        }
    } finally {
      await Promise.all(threads.map((thread) => thread.return()));
    }
  };
