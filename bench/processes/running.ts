import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Something that answers requests in a process of its own. */
export interface Server {
  readonly url: string;
  end(): Promise<void>;
}

const running = new Set<ChildProcess>();

/** Remembers a process, so that none outlives the benchmarks. */
export const keepTrackOf = <C extends ChildProcess>(child: C): C => {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
};

/** Kills what is still running, at once. */
export const killRunning = (): void => {
  for (const child of running) child.kill('SIGKILL');
};

/** Waits until a process ends by itself; resolves to its exit code, or the signal that ended it. */
export const ended = async (child: ChildProcess): Promise<number | string> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode ?? child.signalCode ?? 'unknown';
};

/** Asks a process to end; resolves as `ended` does. */
export const endOf = async (child: ChildProcess): Promise<number | string> => {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
  return ended(child);
};
