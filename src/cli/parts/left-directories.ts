import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockDataDirectory } from './data-directory.ts';

/** Longer than a process takes from making a directory to taking it. */
const YOUNG_MS = 60_000;

/**
 * Removes the temporary directories that killed processes of this user have left, but none that is in use.
 *
 * @param prefix the beginning of their names
 */
export const removeLeftDirectories = (prefix: string): void => {
  for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith(prefix))) {
    const directory = join(tmpdir(), name);
    const found = lstatSync(directory, { throwIfNoEntry: false });
    const isOurs = found?.isDirectory() === true && found.uid === process.geteuid?.();
    if (!isOurs || Date.now() - found.mtimeMs < YOUNG_MS) continue;
    try {
      const giveBack = lockDataDirectory(directory, []);
      rmSync(directory, { recursive: true, force: true });
      giveBack();
    } catch {
      // It is in use, or another process removes it as well.
    }
  }
};
