import { basename, dirname, resolve } from 'node:path';
import { takeDataDirectory } from './data-directory.ts';
import type { EventStoreSettings, ReadModelSettings } from '../../stores.ts';

/**
 * Takes the directories of file stores for this process.
 *
 * @returns gives them back
 * @throws DirectoryInUse when another process has one; then none is taken
 */
export const takeDataDirectories = (
  stores: readonly (EventStoreSettings | ReadModelSettings)[],
): (() => void) => {
  const paths = stores.flatMap((store) => (store.kind === 'sqlite' ? [resolve(store.path)] : []));
  const directories = new Set(paths.map((path) => dirname(path)));
  const taken: (() => void)[] = [];
  const giveBack = () => {
    for (const give of taken) give();
  };
  try {
    for (const directory of directories) {
      const names = paths.filter((path) => dirname(path) === directory).map((path) => basename(path));
      taken.push(takeDataDirectory(directory, names));
    }
  } catch (error) {
    giveBack();
    throw error;
  }
  return giveBack;
};
