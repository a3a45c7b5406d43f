import { accessSync, closeSync, constants, existsSync, lstatSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { UnusableFileError } from '../errors/unusable-file.ts';
import { hasCode } from '../lib/error.ts';
import { fileAccessIn, mayMakeFiles } from '../lib/file-access.ts';
import { openNewFile } from '../lib/files.ts';

/** What SQLite adds to the name of a database. */
export const SQLITE_SUFFIXES: readonly string[] = ['-wal', '-shm', '-journal'];
export const DAMAGED_SUFFIX = '.damaged';

/** Makes an empty file for SQLite where there is none. SQLite gives its owner and mode to what it makes beside it. */
export const makeMissingFile = (file: string): void => {
  if (existsSync(file)) return;
  try {
    closeSync(openNewFile(file, undefined, fileAccessIn(dirname(file))));
  } catch (error) {
    // Another thread was first, or a link leads to where nothing is yet.
    if (!hasCode(error, 'EEXIST')) throw error;
  }
};

/**
 * Refuses a file that stands where this process writes, and that it may not write: root may have made it.
 *
 * @throws UnusableFileError
 */
export const refuseUnwritable = (file: string): void => {
  if (!mayMakeFiles(dirname(file))) return;
  for (const name of ['', ...SQLITE_SUFFIXES].map((suffix) => file + suffix)) {
    const found = statSync(name, { throwIfNoEntry: false });
    if (!found) continue;
    try {
      accessSync(name, constants.R_OK | constants.W_OK);
    } catch (cause) {
      const here = process.geteuid?.() ?? '?';
      throw new UnusableFileError(
        `${name} is of the user with id ${found.uid}, and this process, of the user with id ${here}, may not write it; chown gives it to that user`,
        { cause },
      );
    }
  }
};

/** Removes a database with what SQLite keeps beside it, if they are there. */
export const removeDatabase = (file: string): void => {
  for (const suffix of ['', ...SQLITE_SUFFIXES])
    // To look costs a third of removing what is not there.
    if (lstatSync(file + suffix, { throwIfNoEntry: false })) rmSync(file + suffix, { force: true });
};

/** Renames a damaged database, for an operator to look at; replaces one renamed before. Returns the new name. */
export const setAsideDamagedDatabase = (file: string): string => {
  // Either may be a directory.
  rmSync(file + DAMAGED_SUFFIX, { recursive: true, force: true });
  renameSync(file, file + DAMAGED_SUFFIX);
  removeDatabase(file);
  return file + DAMAGED_SUFFIX;
};
