import { statSync } from 'node:fs';

/** A file is damaged, as a check of it has found. */
export class CheckFailed extends Error {
  readonly code = 'SQLITE_CORRUPT';
}

/** @throws Error of the kind `damaged` where a directory stands in a file's place */
export const refuseDirectory = (file: string): void => {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true)
    throw new CheckFailed('it is a directory');
};
