import Database from 'libsql';
import { refuseNoFile } from './check-failed.ts';
import { makeMissing } from './files.ts';

export type Connection = Database.Database;

/** An error that says what failed and why: SQLite's own does not survive the way out of a worker thread. */
export const explained = (what: string, error: unknown): Error =>
  new Error(`${what}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });

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
    refuseNoFile(file);
    makeMissing(file);
    return open(
      file,
      `journal_mode = ${journal}`,
      `synchronous = ${synchronous}`,
      // Fewer, larger checkpoints: measured to cut the slowest commits sixfold.
      'wal_autocheckpoint = 4000',
    );
  } catch (error) {
    throw explained(`${file} cannot be opened`, error);
  }
};

/** A connection that writes a little beside the writer of a file in WAL mode. It never checkpoints while that is open. */
export const openSideWriter = (file: string): Connection =>
  open(file, 'synchronous = FULL', 'wal_autocheckpoint = 0');

/** A connection that only reads. Close it before the writer: the last connection to close checkpoints. */
export const openReader = (file: string): Connection =>
  open(file, 'query_only = ON', 'wal_autocheckpoint = 0');

/** Runs an act on a connection that is open for it alone. */
export const closing = <T>(connection: Connection, act: (connection: Connection) => T): T => {
  try {
    return act(connection);
  } finally {
    connection.close();
  }
};

/** Has SQLite sort in one more thread, while the calling thread reads. */
export const SORT_IN_THREAD = 'threads = 1';
