import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { serviceEnvironment } from '../credentials.ts';
import { ended, keepTrackOf } from './running.ts';

/** The command line, compiled. */
export const CLI = fileURLToPath(new URL('../../bin/hiring.js', import.meta.url));

/** What it is started with, on the files of a directory. */
export const hiringEnvironment = (directory: string): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  DATA_DIR: directory,
  ...serviceEnvironment,
});

/** The most memory that a process had resident at once, in MB; 0 of one that has ended. proc_pid_status(5) */
const peakMemoryOf = (pid: number): number => {
  const file = `/proc/${pid}/status`;
  const [, kb = '0'] = (existsSync(file) && /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(file, 'utf8'))) || [];
  return (Number(kb) * 1_024) / 1e6;
};

/**
 * Runs a command of `hiring` on the files of a directory; resolves to what it printed.
 *
 * @param onStart is called with the id of its process
 * @throws Error with its last words when it ends with anything but 0
 */
export const runHiring = async (
  directory: string,
  args: readonly string[],
  onStart?: (pid: number) => void,
): Promise<string> => {
  const child = keepTrackOf(
    spawn(process.execPath, [CLI, ...args], {
      cwd: directory,
      env: hiringEnvironment(directory),
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  const { pid } = child;
  if (pid !== undefined) onStart?.(pid);
  const [printed, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended(child)]);
  if (code !== 0) throw new Error(`hiring ${args.join(' ')} ended with ${code}: ${(errors + printed).slice(-2_000)}`);
  return printed;
};

/** How often the memory of a process is looked at; what it was at most is kept by the operating system. */
const LOOK_MS = 20;

/** Runs a command as `runHiring` does; resolves to how long it took and the most memory that it had. */
export const measureHiring = async (
  directory: string,
  args: readonly string[],
): Promise<{ readonly seconds: number; readonly memoryMb: number }> => {
  const started = performance.now();
  let memoryMb = 0;
  let looking: NodeJS.Timeout | undefined;
  const onStart = (pid: number) => {
    looking = setInterval(() => (memoryMb = Math.max(memoryMb, peakMemoryOf(pid))), LOOK_MS);
  };
  await runHiring(directory, args, onStart).finally(() => clearInterval(looking));
  return { seconds: (performance.now() - started) / 1_000, memoryMb };
};
