import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';

export class DirectoryInUse extends Error {}

/** Whoever only looks whether somebody has the directory keeps nobody from taking it. */
const WAIT_MS = 100;

/** Files that the service makes beside its stores. */
const OWN_FILES: readonly string[] = ['owner.pid', 'owner.lock', 'projections.db', 'demo-unfinished'];
/** What SQLite adds to the name of a database. */
const SUFFIXES: readonly string[] = ['', '-wal', '-shm', '-journal'];
const OTHERS = 0o077;

/**
 * Removes the access of other users from the service's files, which may have been made under another umask, or put back from a
 * backup. Files that belong to another user are left alone.
 */
const closeToOthers = (directory: string, stores: readonly string[]): void => {
  const own = new Set([...OWN_FILES, ...stores].flatMap((name) => SUFFIXES.map((suffix) => name + suffix)));
  for (const name of readdirSync(directory)) {
    // Those of read models have the names of projections behind their own.
    if (!own.has(name) && !stores.some((store) => name.startsWith(`${store}.`))) continue;
    const path = join(directory, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found || found.uid !== process.getuid?.() || (found.mode & OTHERS) === 0) continue;
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
