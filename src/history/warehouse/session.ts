import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Position } from '../../event-store/port.ts';
import { answerTo, writeParquet, type CellForm, type SqlAnswer } from './answer.ts';
import { databaseOf, type OpenOptions } from './duckdb.ts';
import type { Preparation } from './prepare.ts';
import { viewsOf } from './schema.ts';

/** A statement, and the directory of the copy that answers it, which this process has taken. */
export interface SqlAsked extends Omit<Preparation, 'file' | 'spillTo'> {
  readonly directory: string;
  readonly isMasked: boolean;
  /** Where Parquet is written to, if it is. */
  readonly parquetFile?: string | undefined;
}

export const COPY_FILE = 'copy.duckdb';

/** What a caller may do with the answer while the copy is open. */
export interface OpenAnswer {
  /** The position that the answer is made from. */
  readonly position: Position;
  rows(form: CellForm): Promise<SqlAnswer>;
  /** Writes Parquet to the file that was named. */
  parquet(): Promise<void>;
}

/**
 * Answers one statement, from a copy that is opened for reading alone.
 *
 * @param prepare brings the copy up to date, and makes the read models that the statement names
 * @param use is given the answer while the copy is open
 * @throws DomainError for a statement that is refused
 */
export const answerStatement = async <T>(
  { directory, isMasked, parquetFile, statement, atPosition }: SqlAsked,
  prepare: (preparation: Preparation) => Promise<Position>,
  signal: AbortSignal,
  use: (answer: OpenAnswer) => Promise<T>,
): Promise<T> => {
  const file = join(directory, COPY_FILE);
  const spillTo = join(directory, 'spill');
  rmSync(spillTo, { recursive: true, force: true });
  mkdirSync(spillTo, { mode: 0o700 });
  const position = await prepare({ statement, atPosition, file, spillTo });
  const bounds: OpenOptions = {
    spillTo,
    isReadOnly: true,
    // With more, equal rows may come in another order each time.
    threads: atPosition === undefined ? 2 : 1,
    writes: parquetFile === undefined ? [] : [parquetFile],
  };
  return databaseOf(
    file,
    bounds,
  )(async (database) => {
    if (atPosition !== undefined) await database.connection.run(viewsOf(isMasked, position));
    return use({
      position,
      rows: (form) => answerTo(database, statement, form, signal),
      parquet: () => {
        if (parquetFile === undefined) throw new Error('There is no file to write Parquet to');
        return writeParquet(database, statement, parquetFile, signal);
      },
    });
  });
};
