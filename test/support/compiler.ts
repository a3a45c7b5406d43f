import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './project.ts';

/**
 * What the project's compiler says on its command line: a line each, none where all is well.
 *
 * @throws Error where it fails without a word
 */
export const complaintsOf = (args: readonly string[]): string[] => {
  const command = join(root, 'node_modules', '.bin', 'tsc');
  // Other suites use the other processors.
  const options = ['--pretty', 'false', '--singleThreaded'];
  const { status, signal, stdout, stderr, error } = spawnSync(command, [...options, ...args], { encoding: 'utf8' });
  if (error) throw error;
  const lines = (stdout + stderr).split('\n').filter((line) => line !== '');
  if (status !== 0 && lines.length === 0) throw new Error(`tsc ended with ${status ?? signal}`);
  return lines;
};
