import { existsSync, readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** What nice(1) sets: about a tenth of a busy core. With a smaller share, a command that holds a lock could keep a service waiting. */
const NICE = 10;
/** On Linux each thread has a priority of its own. proc(5) */
const THREADS = '/proc/self/task';

/** Gives this process, and the threads that it starts from now on, a lower priority. */
export const lowerProcessPriority = (): void => {
  const threads = existsSync(THREADS) ? readdirSync(THREADS).map(Number) : [0];
  for (const thread of threads)
    try {
      setPriority(thread, Math.max(getPriority(thread), NICE));
    } catch {
      // It has ended, or stays an equal of the others.
    }
};
