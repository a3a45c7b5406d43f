import { renameSync, rmSync } from 'node:fs';

/** What SQLite adds to the name of a database. */
export const SUFFIXES: readonly string[] = ['-wal', '-shm', '-journal'];
export const DAMAGED = '.damaged';

/** Removes a database, if it is there. */
export const removeFile = (file: string): void => {
  for (const suffix of ['', ...SUFFIXES]) rmSync(file + suffix, { force: true });
};

/**
 * Renames a damaged database, so that an operator can look at it; replaces one renamed before.
 *
 * @returns the new name
 */
export const setAside = (file: string): string => {
  // Either may be a directory.
  rmSync(file + DAMAGED, { recursive: true, force: true });
  renameSync(file, file + DAMAGED);
  removeFile(file);
  return file + DAMAGED;
};
