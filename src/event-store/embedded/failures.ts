import { statSync } from 'node:fs';
import { UnusableFileError } from '../../errors/unusable-file.ts';
import { closeAfter, hasTable, openReader } from '../../sqlite/connections.ts';
import { publicFailureMessageOf, fileFailureOf, refuseMalformed } from '../../sqlite/failures.ts';
import { LogDamagedError, LogUnavailableError, type LogDamage } from '../port.ts';
import { errorMessageOf } from '../../lib/error.ts';

/**
 * Translates a failure of the file into an error of the event log's port; any other error is returned as it is.
 *
 * @param where the positions that were being read
 */
export const toLogError = (
  error: unknown,
  what: string,
  file: string,
  where: Pick<LogDamage, 'first' | 'last'> = {},
): Error => {
  if (error instanceof LogUnavailableError) return error;
  switch (fileFailureOf(error, file)) {
    case 'passing':
      return new LogUnavailableError(`${what}: ${publicFailureMessageOf(error)}`, { cause: error });
    case 'damaged':
      return new LogDamagedError({ file, ...where, what: reasonOf(error) }, { cause: error });
    case undefined:
      return error instanceof Error ? error : new Error(String(error));
  }
};

const reasonOf = (error: unknown): string => errorMessageOf(error).replace(/\s+/g, ' ');

const RESTORE = 'docs/operating.md#backup says how it is restored';
const isThere = (file: string): boolean => {
  const found = statSync(file, { throwIfNoEntry: false });
  return found !== undefined && (found.size > 0 || !found.isFile());
};

/** The error whose message is the last line of a start that fails. */
export const toUnusableLogError = (file: string, error: unknown): UnusableFileError => {
  const reason = reasonOf(error);
  const isDamaged = fileFailureOf(error, file) === 'damaged';
  return new UnusableFileError(
    isDamaged
      ? `${file} is damaged, and nothing was changed: ${reason}; ${RESTORE}`
      : `${file} cannot be opened: ${reason}`,
    { cause: error },
  );
};

/** As bytes, for the reason that `EventRow` has. */
const ENDS = `SELECT position, CAST(data AS BLOB) FROM events WHERE position IN
  ((SELECT min(position) FROM events), (SELECT max(position) FROM events))`;

/**
 * Looks at an event log before it is written: at a small one as a whole, at a large one's schema and both ends. An
 * empty one is no damage: SQLite makes an empty file first, and a full disk may leave it so.
 *
 * @throws UnusableFileError for one that is damaged or cannot be opened
 */
export const refuseDamagedLog = (file: string): void => {
  if (!isThere(file)) return;
  try {
    closeAfter(openReader(file), (reader) => {
      refuseMalformed(file, reader);
      if (hasTable(reader, 'events')) reader.prepare(ENDS).raw().all([]);
    });
  } catch (error) {
    throw toUnusableLogError(file, error);
  }
};
