import { basename, dirname, resolve } from 'node:path';
import { lockDataDirectory } from './data-directory.ts';
import type { EventStoreSettings, ReadModelSettings } from '../../stores.ts';

type Store = EventStoreSettings | ReadModelSettings;

/** The directories of file stores, each with the names of their files. */
export const dataDirectoriesOf = (stores: readonly Store[]): ReadonlyMap<string, readonly string[]> => {
  const directories = new Map<string, string[]>();
  for (const store of stores) {
    if (store.kind !== 'sqlite') continue;
    const path = resolve(store.path);
    const directory = dirname(path);
    directories.set(directory, [...(directories.get(directory) ?? []), basename(path)]);
  }
  return directories;
};

/**
 * Takes the directories of file stores for this process.
 *
 * @returns gives them back
 * @throws DirectoryInUseError when another process has one; then none is taken
 */
export const lockDataDirectories = (stores: readonly Store[]): (() => void) => {
  const taken: (() => void)[] = [];
  const giveBack = () => {
    for (const give of taken) give();
  };
  try {
    for (const [directory, names] of dataDirectoriesOf(stores)) taken.push(lockDataDirectory(directory, names));
  } catch (error) {
    giveBack();
    throw error;
  }
  return giveBack;
};
