import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';

export class DirectoryInUse extends Error {}

/** Whoever only looks whether somebody has the directory keeps nobody from taking it. */
const WAIT_MS = 100;

/**
 * Makes a data directory and takes it for this process. The lock is one that the operating system gives back when the
 * process ends, however it ends; the file with the pid is only there to be told.
 *
 * @returns gives the directory back
 * @throws DirectoryInUse with one line that names the process that has it
 */
export const takeDataDirectory = (directory: string): (() => void) => {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const pidFile = join(directory, 'owner.pid');
  const lock = new Database(join(directory, 'owner.lock'), { timeout: WAIT_MS });
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!(error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY')) throw error;
    throw new DirectoryInUse(
      `The data directory ${directory} is in use by the process with pid ${pidIn(pidFile)}`,
    );
  }
  writeFileSync(pidFile, String(process.pid));
  return () => lock.close();
};

const pidIn = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return 'unknown';
  }
};
