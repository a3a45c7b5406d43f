import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The files of a directory that other users may read or write. */
export const openToOthersIn = async (directory: string): Promise<readonly string[]> => {
  // SQLite may have removed a journal since the listing.
  const modeOf = (name: string) => statSync(join(directory, name), { throwIfNoEntry: false })?.mode ?? 0;
  return (await readdir(directory)).filter((name) => (modeOf(name) & 0o077) !== 0);
};
