import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { invalid } from '../../errors/domain-error.ts';
import type { Position } from '../../event-store/port.ts';
import { answerTo, writeParquet, type SqlAnswer, type CellForm } from './answer.ts';
import { refreshCopy, type CopiedLog, type CopyState, type RefreshOptions } from './copy.ts';
import { databaseOf, textOfQuery, type Database, type OpenOptions } from './duckdb.ts';
import { makeReadModels, type MakeOptions } from './made.ts';
import { viewsOf } from './schema.ts';
import { readStatement } from './statement.ts';

/** A statement about an event log, and where its copy is. */
export interface Asked {
  readonly statement: string;
  /** The directory of the copy, which this process has taken. */
  readonly directory: string;
  readonly log: CopiedLog;
  /** As it was written; undefined: the end of the event log. */
  readonly atPosition: string | undefined;
}

/** The name of a copy's file. */
export const COPY_FILE = 'copy.duckdb';

/** What an answer was made from. */
export interface MadeFrom {
  readonly position: Position;
}

/** What a caller may do with the answer while the copy is open. */
export interface OpenAnswer extends MadeFrom {
  rows(form: CellForm): Promise<SqlAnswer>;
  /** Writes Parquet to the file that `session` was told of; resolves to how many rows. */
  parquet(): Promise<number>;
}

const inFull = (position: string, { position: end }: CopyState): Position =>
  /^\d+$/.test(position) && /^\d+$/.test(end) ? position.padStart(end.length, '0') : position;

/** @throws DomainError for a position at which no event stands */
const positionAsked = async (
  database: Database,
  asked: string | undefined,
  state: CopyState,
): Promise<Position> => {
  if (asked === undefined) return state.position;
  const position = inFull(asked, state);
  const isThere = await textOfQuery(database, 'SELECT 1 FROM copied.events WHERE position = $1', [position]);
  if (isThere === undefined)
    throw invalid(`No event stands at the position ${asked}; the last one is at ${state.position}`);
  return position;
};

/**
 * Answers one statement: brings the copy up to date, makes the read models that the statement names, and runs it where
 * nothing can be written any more.
 *
 * @param use is given the answer while the copy is open
 * @throws DomainError for a statement that is refused
 */
export const session = async <T>(
  { statement, directory, log, atPosition }: Asked,
  options: RefreshOptions & MakeOptions & { readonly parquetFile?: string | undefined },
  use: (answer: OpenAnswer) => Promise<T>,
): Promise<T> => {
  const { showing, signal, parquetFile } = options;
  const file = join(directory, COPY_FILE);
  const spillTo = join(directory, 'spill');
  rmSync(spillTo, { recursive: true, force: true });
  mkdirSync(spillTo, { mode: 0o700 });
  const writing = databaseOf(file, { spillTo, isReadOnly: false, threads: 2 });
  // Refused before anything is copied.
  const named = await writing((database) => readStatement(database, statement));
  const state = await refreshCopy(writing, log, options);
  const position = await writing(async (database) => {
    const upTo = await positionAsked(database, atPosition, state);
    await makeReadModels(database, log, named, upTo, options);
    return upTo;
  });
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
    if (atPosition !== undefined) await database.connection.run(viewsOf(showing.isMasked, position));
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
