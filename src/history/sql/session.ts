import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Position } from '../../event-store/port.ts';
import { answerTo, writeParquet, type CellForm, type SqlAnswer } from './answer.ts';
import { databaseOf, type OpenOptions } from '../tables/duckdb.ts';
import { prepare, type PreparingBeside } from './prepare-in-thread.ts';
import type { Preparation } from './prepare.ts';
import { viewsOf } from './schema.ts';

/** A statement about an event log, and the directory of its copy, which this process has taken. */
export interface SqlAsked extends Omit<Preparation, 'file' | 'spillTo'> {
  readonly directory: string;
  /** Where Parquet is written to, if it is. */
  readonly parquetFile?: string | undefined;
}

/** The name of a copy's file. */
export const COPY_FILE = 'copy.duckdb';

/** What a caller may do with the answer while the copy is open. */
export interface OpenAnswer {
  /** That the answer was made from. */
  readonly position: Position;
  rows(form: CellForm): Promise<SqlAnswer>;
  /** Writes Parquet to the file that was named; resolves to how many rows. */
  parquet(): Promise<number>;
}

/**
 * Answers one statement: brings the copy up to date, makes the read models that the statement names, and runs it where
 * nothing can be written any more.
 *
 * @param use is given the answer while the copy is open
 * @throws DomainError for a statement that is refused
 */
export const answerStatement = async <T>(
  { directory, parquetFile, ...asked }: SqlAsked,
  preparing: PreparingBeside,
  use: (answer: OpenAnswer) => Promise<T>,
): Promise<T> => {
  const { statement, atPosition, maskSecret } = asked;
  const { signal } = preparing;
  const file = join(directory, COPY_FILE);
  const spillTo = join(directory, 'spill');
  rmSync(spillTo, { recursive: true, force: true });
  mkdirSync(spillTo, { mode: 0o700 });
  const position = await prepare({ ...asked, file, spillTo }, preparing);
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
    if (atPosition !== undefined) await database.connection.run(viewsOf(maskSecret !== undefined, position));
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
