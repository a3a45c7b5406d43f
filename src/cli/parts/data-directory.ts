import { chmodSync, existsSync, lstatSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { UnusableFileError } from '../../errors/unusable-file.ts';
import { hasCode } from '../../lib/error.ts';
import { fileAccessIn, makeDirectory, lockedOutLogOwner, GROUP_SHARED_MODE } from '../../lib/file-access.ts';
import { isProcessRunning } from '../../lib/is-process-running.ts';
import { readRegularFile, writeFileAtomically } from '../../lib/files.ts';
import { CANNOT_OPEN_PATTERN } from '../../sqlite/failures.ts';
import { makeMissingFile, SQLITE_SUFFIXES } from '../../sqlite/files.ts';

export class DirectoryInUseError extends Error {}

/** A failure of a file, as opposed to a defect: those of SQLite and of the operating system have a code. */
const isOfFile = (error: unknown): error is Error =>
  error instanceof Error &&
  (('code' in error && typeof error.code === 'string') || CANNOT_OPEN_PATTERN.test(error.message));

/** Longer than a process holds the lock that only checks whether a directory is taken. */
const WAIT_MS = 100;

/** Files that the service makes beside its stores. */
const OWN_FILES: readonly string[] = ['owner.pid', 'owner.lock', 'projections.db', 'demo-unfinished'];

/**
 * Removes other users' access to the service's files, which may have been made under another umask, or restored from a
 * backup, and gives it to the group of a directory that is one's. Files of another user are left alone.
 */
const limitAccess = (directory: string, stores: readonly string[]): void => {
  const own = new Set(
    [...OWN_FILES, ...stores].flatMap((name) => ['', ...SQLITE_SUFFIXES].map((suffix) => name + suffix)),
  );
  const { mode } = fileAccessIn(directory);
  const isShared = mode === GROUP_SHARED_MODE;
  for (const name of readdirSync(directory)) {
    // A read model's file has its projection's name after the store's.
    if (!own.has(name) && !stores.some((store) => name.startsWith(`${store}.`))) continue;
    const path = join(directory, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found || found.uid !== process.getuid?.()) continue;
    // A file that its owner made read-only stays so.
    const limited = isShared ? (found.mode & 0o770) | 0o060 : found.mode & 0o700;
    if ((found.mode & 0o777) !== limited) chmodSync(path, limited);
  }
};

/**
 * Makes a data directory and takes it for this process. The operating system releases the lock when the process ends,
 * however it ends; the file with the pid is only there for the message. Other users cannot read the files afterwards.
 *
 * @param stores names of the files of stores in it
 * @returns gives the directory back
 * @throws DirectoryInUseError with one line that names the process that has it
 * @throws UnusableFileError with one line for a directory that cannot be written, or that another user's service has
 */
export const lockDataDirectory = (directory: string, stores: readonly string[]): (() => void) => {
  try {
    return take(directory, stores);
  } catch (error) {
    if (!isOfFile(error)) throw error;
    const allowed = 'allowed: one that this process can write, with room';
    throw new UnusableFileError(`The data directory ${directory} cannot be used: ${error.message}; ${allowed}`, {
      cause: error,
    });
  }
};

/** Refuses a planted link, where a library would write what it leads to. @throws UnusableFileError */
export const refuseLink = (file: string): void => {
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new UnusableFileError(`${file} is a link; allowed: a directory that no other user can write`);
};

/** @throws UnusableFileError where the user of the event log could not open files that this process makes */
const refuseOtherOwner = (directory: string): void => {
  const owner = lockedOutLogOwner(directory);
  if (owner !== undefined)
    throw new UnusableFileError(
      `The event log in ${directory} is of the user with id ${owner}, and this process has the id ${process.geteuid?.() ?? '?'}; allowed: that user, or root; chown gives it to another`,
    );
};

const take = (directory: string, stores: readonly string[]): (() => void) => {
  makeDirectory(directory);
  refuseOtherOwner(directory);
  const lockFile = join(directory, 'owner.lock');
  for (const name of ['owner.lock', ...stores]) refuseLink(join(directory, name));
  if (statSync(lockFile, { throwIfNoEntry: false })?.isFile() === false)
    throw new UnusableFileError(`${lockFile} is no file; allowed: a directory that no other user can write`);
  makeMissingFile(lockFile);
  const lock = new Database(lockFile, { timeout: WAIT_MS });
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!hasCode(error, 'SQLITE_BUSY')) throw error;
    throw new DirectoryInUseError(
      `The data directory ${directory} is in use by the process with pid ${holderOf(directory).pid}`,
    );
  }
  noteOwner(directory);
  limitAccess(directory, stores);
  return () => lock.close();
};

/** The pid, and on a second line where the process answers requests, once it does. */
const NOTE = 'owner.pid';

/**
 * Notes that this process has a directory, and where it answers requests. The note is for messages alone, so that a
 * full disk keeps no process out. The old note is removed first, since its block may be the last one that is free.
 */
export const noteOwner = (directory: string, url?: string): void => {
  const file = join(directory, NOTE);
  rmSync(file, { force: true });
  try {
    writeFileAtomically(
      file,
      [process.pid, ...(url === undefined ? [] : [url])].join('\n'),
      undefined,
      fileAccessIn(directory),
    );
  } catch (error) {
    if (!hasCode(error, 'ENOSPC')) throw error;
  }
};

const holderOf = (directory: string): { readonly pid: string; readonly url: string | undefined } => {
  try {
    const [pid = '', url] = readRegularFile(join(directory, NOTE)).split('\n');
    return { pid, url };
  } catch {
    return { pid: 'unknown', url: undefined };
  }
};

/** A process that has taken a directory. */
export interface DirectoryOwner {
  readonly pid: number;
  /** False after a kill, until the next start. */
  readonly isRunning: boolean;
  /** RFC 3339: when it took the directory, or began to answer requests. */
  readonly since: string;
  /** Where it answers requests; undefined for a command that does not, and before a service does. */
  readonly url: string | undefined;
}

/**
 * The process that has a directory, as far as files say without being opened, which would change them: its lock has a
 * journal as long as it is held, and after a kill, until the next start. Undefined while no process has it.
 */
export const readDirectoryOwner = (directory: string): DirectoryOwner | undefined => {
  if (!existsSync(join(directory, 'owner.lock-journal'))) return undefined;
  const { pid: text, url } = holderOf(directory);
  const pid = Number(text);
  const since = statSync(join(directory, NOTE), { throwIfNoEntry: false })?.mtime.toISOString();
  if (!Number.isInteger(pid) || pid <= 0 || since === undefined) return undefined;
  return { pid, isRunning: isProcessRunning(pid), since, url };
};
