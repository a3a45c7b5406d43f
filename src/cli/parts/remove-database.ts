import { rmSync } from 'node:fs';

/** Removes a SQLite file with what SQLite keeps beside it, if they are there. */
export const removeDatabase = (file: string): void => {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true });
};
