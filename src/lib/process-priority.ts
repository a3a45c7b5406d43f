import { existsSync, readdirSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Of a busy core, about a tenth: what nice(1) gives. With less, one that holds a lock could keep a service waiting. */
const NICE = 10;
/** On Linux each thread has a priority of its own. proc(5) */
const THREADS = '/proc/self/task';

/** Gives this process, and the threads that it starts from now on, a lower priority. */
export const lowerProcessPriority = (): void => {
  const threads = existsSync(THREADS) ? readdirSync(THREADS).map(Number) : [0];
  for (const thread of threads)
    try {
      setPriority(thread, NICE);
    } catch {
      // It has ended, or stays an equal of the others.
    }
};
