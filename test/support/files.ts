import { statSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Names, times and contents of all files of a directory, in the order of their names. */
export const contentsIn = async (directory: string) =>
  Promise.all(
    (await readdir(directory)).toSorted().map(async (name) => {
      const path = join(directory, name);
      const { mtimeMs } = await stat(path);
      return [name, mtimeMs, (await readFile(path)).toString('base64')] as const;
    }),
  );

/** The files of a directory that other users may read or write. */
export const openToOthersIn = async (directory: string): Promise<readonly string[]> => {
  // SQLite may have removed a journal since the listing.
  const modeOf = (name: string) => statSync(join(directory, name), { throwIfNoEntry: false })?.mode ?? 0;
  return (await readdir(directory)).filter((name) => (modeOf(name) & 0o077) !== 0);
};
