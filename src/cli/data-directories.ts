import { dirname, resolve } from 'node:path';
import { takeDataDirectory } from '../data-directory.ts';
import type { EventStoreSettings, ReadModelSettings } from '../stores.ts';

/**
 * Takes the directories of stores that are files for this process.
 *
 * @returns gives them back
 * @throws DirectoryInUse when another process has one; then none is taken
 */
export const takeDataDirectories = (
  stores: readonly (EventStoreSettings | ReadModelSettings)[],
): (() => void) => {
  const directories = new Set(
    stores.flatMap((store) => (store.kind === 'sqlite' ? [resolve(dirname(store.path))] : [])),
  );
  const taken: (() => void)[] = [];
  const giveBack = () => {
    for (const give of taken) give();
  };
  try {
    for (const directory of directories) taken.push(takeDataDirectory(directory));
  } catch (error) {
    giveBack();
    throw error;
  }
  return giveBack;
};
