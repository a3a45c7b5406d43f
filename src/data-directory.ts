import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';

export class DirectoryInUse extends Error {}

/** Whoever only looks whether somebody has the directory keeps nobody from taking it. */
const WAIT_MS = 100;

/** Files that the service makes beside its stores. */
const OWN_FILES: readonly string[] = ['owner.', 'projections.db', 'demo-unfinished'];
const OTHERS = 0o077;

/**
 * Lets nobody but their owner read or write the service's files: they may have been made under another umask, or put back
 * from a backup. Only files of the service's own user can be changed.
 */
const closeToOthers = (directory: string, stores: readonly string[]): void => {
  const names = [...OWN_FILES, ...stores];
  for (const name of readdirSync(directory)) {
    if (!names.some((own) => name.startsWith(own))) continue;
    const path = join(directory, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.uid === process.getuid?.() && found && (found.mode & OTHERS) !== 0)
      chmodSync(path, found.mode & ~OTHERS & 0o777);
  }
};

/**
 * Makes a data directory and takes it for this process. The lock is one that the operating system gives back when the
 * process ends, however it ends; the file with the pid is only there to be told. Other users of the machine cannot read its
 * files afterwards.
 *
 * @param stores names of the files of stores in it
 * @returns gives the directory back
 * @throws DirectoryInUse with one line that names the process that has it
 */
export const takeDataDirectory = (directory: string, stores: readonly string[]): (() => void) => {
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
  closeToOthers(directory, stores);
  return () => lock.close();
};

const pidIn = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return 'unknown';
  }
};
