import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'libsql';
import { UnusableFileError } from '../errors/unusable-file.ts';
import { errorMessageOf } from '../lib/error.ts';
import { mayMakeFiles } from '../lib/file-access.ts';
import { refuseNonFile } from './check-failed.ts';
import { makeMissingFile } from './files.ts';

export type Connection = Database.Database;

/** An error that says what failed and why: SQLite's own does not survive the way out of a worker thread. */
export const explainError = (what: string, error: unknown): Error =>
  new Error(`${what}: ${errorMessageOf(error)}`, { cause: error });

/** Sets pragmas together: libsql's own `pragma` takes six times as long for each, and all are set at each start. */
export const setPragmas = (connection: Connection, ...pragmas: readonly string[]): void => {
  connection.exec(pragmas.map((pragma) => `PRAGMA ${pragma}`).join('; '));
};

/** How long a statement waits for a lock, which only another process that has the file can hold. */
const BUSY_MS = 5_000;

const open = (file: string, ...pragmas: readonly string[]): Connection => {
  const connection = new Database(file, { timeout: BUSY_MS });
  try {
    setPragmas(connection, ...pragmas);
  } catch (error) {
    connection.close();
    throw error;
  }
  return connection;
};

/**
 * The one connection of a file that checkpoints, and mostly the one that writes: SQLite 3.45, which libsql embeds, has
 * a race between a checkpoint that follows a complete one and a write by another connection, mended in SQLite 3.51.3.
 * This connection checkpoints after a write of its own alone, when the one before is not complete any more.
 *
 * @param synchronous FULL: a commit is on disk when it returns; NORMAL: a power failure may lose the last commits; OFF:
 *   it may corrupt the file
 */
export const openWriter = (
  file: string,
  synchronous: 'FULL' | 'NORMAL' | 'OFF',
  journal: 'WAL' | 'TRUNCATE' = 'WAL',
): Connection => {
  try {
    refuseNonFile(file);
    makeMissingFile(file);
    return open(
      file,
      `journal_mode = ${journal}`,
      `synchronous = ${synchronous}`,
      // Fewer, larger checkpoints: measured to cut the slowest commits sixfold.
      'wal_autocheckpoint = 4000',
    );
  } catch (error) {
    throw explainError(`${file} cannot be opened`, error);
  }
};

/** A connection that writes a little beside the writer of a WAL file. It never checkpoints while that is open. */
export const openSideWriter = (file: string): Connection => open(file, 'synchronous = FULL', 'wal_autocheckpoint = 0');

const READING = ['query_only = ON', 'wal_autocheckpoint = 0'];

/** Tells one content of a file from another, as its times and sizes do. */
const stampOf = (file: string): string =>
  ['', '-wal']
    .map((suffix) => statSync(file + suffix, { bigint: true, throwIfNoEntry: false }))
    .map((found) => (found ? `${found.ino} ${found.size} ${found.mtimeNs}` : ''))
    .join();

/**
 * Opens a file in WAL mode where this process may make no -wal and -shm, such as a snapshot (SQLite, "Read-Only
 * Databases" and "Use of WAL Without Shared-Memory"). Where both are there, a process may be writing, and SQLite reads
 * beside it. Where they are not, none does: a -wal alone is read with an index in memory. Should one begin to write
 * meanwhile, closing the connection throws.
 */
const openWithoutNewFiles = (file: string): Connection => {
  const isThere = (suffix: string) => existsSync(file + suffix);
  if (isThere('-journal') || (isThere('-wal') && isThere('-shm'))) return open(file, ...READING);
  const url = pathToFileURL(resolve(file)).href;
  const before = stampOf(file);
  const connection = isThere('-wal')
    ? open(`${url}?vfs=unix-none&mode=ro`, 'locking_mode = EXCLUSIVE', ...READING)
    : open(`${url}?immutable=1`, ...READING);
  const close = connection.close.bind(connection);
  connection.close = () => {
    close();
    if (stampOf(file) !== before)
      throw new UnusableFileError(
        `${file} was written while it was read, in a directory that this process may not write: what was read may be wrong; read it again`,
      );
    return connection;
  };
  return connection;
};

/** A connection that only reads. Close it before the writer: the last connection to close checkpoints. */
export const openReader = (file: string): Connection => {
  refuseNonFile(file);
  return !existsSync(file) || mayMakeFiles(dirname(file)) ? open(file, ...READING) : openWithoutNewFiles(file);
};

/** Prepares a SELECT that always gives a row, of one number. */
export const prepareNumberSelect = (connection: Connection, select: string) => {
  const prepared = connection.prepare(select).raw();
  return (...values: unknown[]): number => (prepared.get(values) as readonly [number])[0];
};

/** Whether a file has a table of a name. */
export const hasTable = (connection: Connection, name: string): boolean =>
  connection.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').raw().get([name]) !== undefined;

/** Runs an act on a connection that is open for it alone. */
export const closeAfter = <T>(connection: Connection, act: (connection: Connection) => T): T => {
  try {
    return act(connection);
  } finally {
    connection.close();
  }
};

/** Runs an act in a transaction of its own, of which nothing stays where the act throws. */
export const inTransaction = <T>(connection: Connection, act: () => T): T => {
  connection.exec('BEGIN IMMEDIATE');
  try {
    const result = act();
    connection.exec('COMMIT');
    return result;
  } catch (error) {
    // A full or failing disk may have undone it already.
    if (connection.inTransaction) connection.exec('ROLLBACK');
    throw error;
  }
};

/** Has SQLite sort in one more thread, while the calling thread reads. */
export const SORT_THREAD_PRAGMA = 'threads = 1';
