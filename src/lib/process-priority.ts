import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** What nice(1) sets: about a tenth of a busy core. */
const NICE = 10;
/** On Linux each thread has a priority of its own. proc(5) */
const THREADS = '/proc/self/task';

/**
 * A process's share of the cores. `low`: about a tenth of a busy one. `idle`: only what no other process wants, so not
 * for a process that may hold a lock of a service's file for long: the service would wait until it runs again.
 */
export type ProcessPriority = 'low' | 'idle';

/**
 * An idle process loses the core at once to any other; one that is only nice keeps it for some milliseconds. sched(7),
 * SCHED_IDLE. Without chrt(1), which is of util-linux, it stays nice.
 */
const becomeIdle = (): void => {
  if (process.platform === 'linux')
    spawnSync('chrt', ['--idle', '--all-tasks', '--pid', '0', String(process.pid)], { stdio: 'ignore' });
};

/** Gives this process, and the threads that it starts from now on, a lower priority. */
export const lowerProcessPriority = (priority: ProcessPriority): void => {
  const threads = existsSync(THREADS) ? readdirSync(THREADS).map(Number) : [0];
  for (const thread of threads)
    try {
      setPriority(thread, Math.max(getPriority(thread), NICE));
    } catch {
      // It has ended, or stays an equal of the others.
    }
  if (priority === 'idle') becomeIdle();
};
