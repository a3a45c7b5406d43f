import { streamFromNewWorker } from '../../src/lib/worker-client.ts';
import { serveTasks } from '../../src/lib/worker-task.ts';

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
/** Counts, and where it reports that it has ended by itself. */
export interface CountTask {
  readonly input: Streaming;
  readonly item: number;
}

const url = new URL(import.meta.url);
const sleeping = new Int32Array(new SharedArrayBuffer(4));
/** As libsql's errors are: no Error to Node.js, which copies nothing of it out of the thread. */
const failure = (number: number): unknown =>
  Object.create(Error.prototype, { message: { value: `It fails at ${number}` }, code: { value: 'SQLITE_FULL' } });

async function* numbers({ deafMs = 0, deaf, bytesAnItem = 0 }: Streaming): AsyncGenerator<number, void, undefined> {
  if (deaf) deaf[0] = 1;
  Atomics.wait(sleeping, 0, 0, deafMs);
  const held: number[][] = [];
  for (let number = 0; ; number++) {
    held.push(Array.from({ length: bytesAnItem / 8 }, () => Math.random()));
    yield await Promise.resolve(number);
  }
}

serveTasks<CountTask>({
  async *run(streaming, { signal }) {
    const { from, failsAt, ended } = streaming;
    process.once('exit', () => (ended[0] = 1));
    const items = from ? streamFromNewWorker<CountTask>(url, from, { signal }) : numbers(streaming);
    for await (const item of items) {
      if (item === failsAt) throw failure(item);
      yield item;
    }
  },
});
