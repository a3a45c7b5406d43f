import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { CheckFailedError } from './check-failed.ts';
import type { Connection } from './connections.ts';
import { prepareTextsSelect } from './texts.ts';

/**
 * What an error says of a SQLite file. `passing`: it may be gone at the next try, since the disk is full, cannot be
 * read or written now, or another process holds the file. `damaged`: what stands in the file cannot be what was stored.
 */
export type FileFailure = 'passing' | 'damaged';

/** The number is that of SQLITE_READONLY_DIRECTORY, which libsql does not know by its name. */
const PASSING_CODES = /^SQLITE_(?:BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|NOMEM|PROTOCOL)|^UNKNOWN_SQLITE_ERROR_1544$/;
const DAMAGED_CODES = /^SQLITE_(?:CORRUPT|NOTADB)/;
/** Of libsql, which gives this error no code; the number is that of SQLITE_CANTOPEN. */
export const CANNOT_OPEN_PATTERN = /Unable to open connection to local database/;

const CHUNK_BYTES = 1_000_000;

/** Whether the bytes of a file can be read, whatever they say; true for one that is not there. */
const isReadable = (file: string): boolean => {
  let descriptor: number | undefined;
  try {
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return true;
    descriptor = openSync(file, 'r');
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    while (readSync(descriptor, chunk) > 0);
    return true;
  } catch {
    return false;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
};

/**
 * The kind of a failure by the error or its cause; undefined for a defect, which is no failure of the file. SQLite
 * takes a disk that cannot be read now (EIO) for damage, so where it says so, and the file is given, that is read once.
 */
export const fileFailureOf = (error: unknown, file?: string): FileFailure | undefined => {
  const kind = kindOf(error);
  const isOfDisk = kind === 'damaged' && file !== undefined && ![file, `${file}-wal`].every(isReadable);
  return isOfDisk ? 'passing' : kind;
};

const kindOf = (error: unknown): FileFailure | undefined => {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // A stored text that is no JSON, or not of the shape that was stored.
  if (DAMAGED_CODES.test(code) || error instanceof SyntaxError) return 'damaged';
  if (PASSING_CODES.test(code) || CANNOT_OPEN_PATTERN.test(error.message)) return 'passing';
  return kindOf(error.cause);
};

/** What a failure of a file is, in words for any client: the driver's own name the file. */
export const publicFailureMessageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return CANNOT_OPEN_PATTERN.test(error.message) ? 'unable to open database file' : error.message;
};

/** A check takes 5 ms for each MB: larger files would hold up the start. */
const MOST_BYTES_CHECKED = 4_000_000;

/**
 * Checks how a file that is not large is made up; damage in a larger one is met where it is read.
 *
 * @throws Error of the kind `damaged`
 */
export const refuseMalformed = (file: string, connection: Connection): void => {
  if (statSync(file).size > MOST_BYTES_CHECKED) return;
  const [finding = 'nothing'] = prepareTextsSelect(connection, ['quick_check'], 'FROM pragma_quick_check(1)')();
  if (finding !== 'ok') throw new CheckFailedError(finding.replace(/\s+/g, ' '));
};
