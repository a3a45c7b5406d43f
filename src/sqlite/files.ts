import { lstatSync, renameSync, rmSync } from 'node:fs';

/** What SQLite adds to the name of a database. */
export const SUFFIXES: readonly string[] = ['-wal', '-shm', '-journal'];
export const DAMAGED = '.damaged';

/** Removes a database with what SQLite keeps beside it, if they are there. */
export const removeDatabase = (file: string): void => {
  for (const suffix of ['', ...SUFFIXES])
    // To look costs a third of removing what is not there.
    if (lstatSync(file + suffix, { throwIfNoEntry: false })) rmSync(file + suffix, { force: true });
};

/** Renames a damaged database, for an operator to look at; replaces one renamed before. Returns the new name. */
export const setAside = (file: string): string => {
  // Either may be a directory.
  rmSync(file + DAMAGED, { recursive: true, force: true });
  renameSync(file, file + DAMAGED);
  removeDatabase(file);
  return file + DAMAGED;
};
