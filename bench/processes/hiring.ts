import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { serviceEnvironment } from '../credentials.ts';
import { ended, keepTrackOf } from './running.ts';

/** The command line, compiled. */
export const CLI = fileURLToPath(new URL('../../src/cli/hiring.js', import.meta.url));

/** What it is started with, on the files of a directory. */
export const hiringEnvironment = (directory: string): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  DATA_DIR: directory,
  ...serviceEnvironment,
});

/**
 * Runs a command of `hiring` on the files of a directory; resolves to what it printed.
 *
 * @param onLine told of each line that it prints, and the id of its process
 * @throws Error with its last words when it ends with anything but 0
 */
export const runHiring = async (
  directory: string,
  args: readonly string[],
  onLine?: (line: string, pid: number) => void,
): Promise<string> => {
  const child = keepTrackOf(
    spawn(process.execPath, [CLI, ...args], {
      cwd: directory,
      env: hiringEnvironment(directory),
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  const { pid } = child;
  if (onLine && pid !== undefined)
    createInterface({ input: child.stdout }).on('line', (line) => onLine(line, pid));
  const [printed, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended(child)]);
  if (code !== 0)
    throw new Error(`hiring ${args.join(' ')} ended with ${code}: ${(errors + printed).slice(-2_000)}`);
  return printed;
};
