import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './project.ts';

/** What the project's compiler says on its command line: a line each, none where all is well. */
export const complaintsOf = (words: readonly string[]): string[] => {
  const command = join(root, 'node_modules', '.bin', 'tsc');
  const { stdout, stderr, error } = spawnSync(command, ['--pretty', 'false', ...words], { encoding: 'utf8' });
  if (error) throw error;
  return (stdout + stderr).split('\n').filter((line) => line !== '');
};
