import { workerData } from 'node:worker_threads';
import { streamOfThread, streamToParent } from '../../src/lib/thread-stream.ts';

/** The thread's task, and where it reports that it has ended by itself. */
export interface Streaming {
  /** For so many milliseconds it handles no message before its first item, as while SQLite sorts. */
  readonly deafMs?: number;
  /** Becomes 1 when it begins to handle none. */
  readonly deaf?: Int32Array;
  /** Gives the items of another thread, which it starts. */
  readonly from?: Streaming;
  readonly failsAt?: number;
  readonly bytesAnItem?: number;
  /** Becomes 1 when the thread ends by itself. */
  readonly ended: Int32Array;
}

const url = new URL(import.meta.url);
const sleeping = new Int32Array(new SharedArrayBuffer(4));

async function* numbers({
  deafMs = 0,
  deaf,
  bytesAnItem = 0,
}: Streaming): AsyncGenerator<number, void, undefined> {
  if (deaf) deaf[0] = 1;
  Atomics.wait(sleeping, 0, 0, deafMs);
  const held: number[][] = [];
  for (let number = 0; ; number++) {
    held.push(Array.from({ length: bytesAnItem / 8 }, () => Math.random()));
    yield await Promise.resolve(number);
  }
}

const streaming = workerData as Streaming;
const { from, failsAt, ended } = streaming;
await streamToParent(async function* (signal) {
  const items = from ? streamOfThread<number>(url, { workerData: from }, signal) : numbers(streaming);
  for await (const item of items) {
    if (item === failsAt) throw new Error(`It fails at ${item}`);
    yield item;
  }
}).finally(() => (ended[0] = 1));
