import { statSync } from 'node:fs';

/** A file is damaged, as a check of it has found. */
export class CheckFailedError extends Error {
  readonly code = 'SQLITE_CORRUPT';
}

/** @throws Error of the kind `damaged` where something else, such as a directory or a pipe, stands in a file's place */
export const refuseNonFile = (file: string): void => {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found && !found.isFile()) throw new CheckFailedError(found.isDirectory() ? 'it is a directory' : 'it is no file');
};
