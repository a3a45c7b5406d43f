import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Position } from '../../event-store/port.ts';
import { streamSqlResult, writeStatementAsParquet, type CellFormat, type SqlResult } from './sql-result.ts';
import { withDatabase, textOfQuery, type Database, type DatabaseOptions } from './duckdb.ts';
import { SCRATCH_FILE } from './materialized-rows.ts';
import type { PreparationRequest } from './prepare.ts';
import { WAREHOUSE_CATALOG, readModelViewsSql, SCRATCH_DATABASE, filteredEventViewsSql } from './schema.ts';
import { comparedPersonalColumns, analyzeStatement } from './statement-analysis.ts';

/** A statement, and the directory of the warehouse that answers it. */
interface StatementRequest extends Pick<PreparationRequest, 'atPosition'> {
  readonly statement: string;
  readonly directory: string;
  readonly isMasked: boolean;
  /** Of days and of times that are shown; undefined: UTC. */
  readonly timeZone?: string | undefined;
  readonly memory?: DatabaseOptions['memory'];
  /** Where Parquet is written to, if it is. */
  readonly parquetFile?: string | undefined;
}

export const WAREHOUSE_FILE = `${WAREHOUSE_CATALOG}.duckdb`;
/** All files of a warehouse. */
export const WAREHOUSE_FILES = [WAREHOUSE_FILE, SCRATCH_FILE];

/** What a caller may do with the answer while the warehouse is open. */
export interface RunnableStatement {
  /** The position that the answer is made from. */
  readonly position: Position;
  /** The columns of masks that the statement compares with values. */
  readonly maskedConditions: readonly string[];
  rows(form: CellFormat): Promise<SqlResult>;
  /** Writes Parquet to the file that was named. @param maxRows left out: all rows @returns how many it has */
  parquet(maxRows?: number): Promise<number>;
}

/** Where the process of that number has what does not fit into the memory of DuckDB. */
export const spillDirectoryName = (pid: number): string => `spill-${pid}`;

/** How a warehouse is opened for reading. */
interface ReadingOptions extends Pick<DatabaseOptions, 'memory' | 'timeZone' | 'writes' | 'writesIn' | 'attached'> {
  readonly directory: string;
  /** Two if left out. */
  readonly threads?: DatabaseOptions['threads'];
}

/**
 * Uses a warehouse that is brought up to date and then opened for reading alone.
 *
 * @param prepare makes the directory to spill to, and brings the warehouse up to date
 * @param use is given the position that the warehouse was brought up to; it may have later events already
 */
export const withPreparedWarehouse = async <T>(
  { directory, threads = 2, ...options }: ReadingOptions,
  prepare: (preparation: PreparationRequest) => Promise<Position>,
  use: (database: Database, position: Position) => Promise<T>,
): Promise<T> => {
  const file = join(directory, WAREHOUSE_FILE);
  const spillTo = join(directory, spillDirectoryName(process.pid));
  try {
    const position = await prepare({ readModels: [], atPosition: undefined, file, spillTo });
    const open = withDatabase(file, { spillTo, isReadOnly: true, threads, ...options });
    return await open((database) => use(database, position));
  } finally {
    rmSync(spillTo, { recursive: true, force: true });
  }
};

/**
 * Answers one statement, from a warehouse that is opened for reading alone.
 *
 * @param prepare as for `withPreparedWarehouse`; it materializes rows of read models, and is given the tables that the
 *   statement names, too
 * @param use is given the answer while the warehouse is open
 * @throws DomainError for a statement that is refused
 */
export const withRunnableStatement = async <T>(
  { directory, isMasked, parquetFile, statement, atPosition, timeZone, memory }: StatementRequest,
  prepare: (preparation: PreparationRequest, tables: readonly string[]) => Promise<Position>,
  signal: AbortSignal,
  use: (answer: RunnableStatement) => Promise<T>,
): Promise<T> =>
  withPreparedWarehouse(
    {
      directory,
      // With more, equal rows may come in another order each time.
      threads: atPosition === undefined ? 2 : 1,
      writes: parquetFile === undefined ? [] : [parquetFile],
      timeZone,
      memory,
      attached: { [SCRATCH_DATABASE]: join(directory, SCRATCH_FILE) },
    },
    async (preparation) => {
      const reading = withDatabase(':memory:', { spillTo: preparation.spillTo, isReadOnly: false, threads: 1 });
      const { tables, readModels } = await reading((database) => analyzeStatement(database, statement));
      return prepare({ ...preparation, readModels, atPosition }, tables);
    },
    async (database, position) => {
      // Another process may have put a later one in its place.
      const end = await textOfQuery(database, 'SELECT position FROM internal.state');
      if (end !== position) await database.connection.run(filteredEventViewsSql({ position, at: null }, 'VIEW'));
      await database.connection.run(readModelViewsSql(isMasked, position));
      return use({
        position,
        maskedConditions: isMasked ? await comparedPersonalColumns(database, statement) : [],
        rows: (form) => streamSqlResult(database, statement, form, signal),
        parquet: (maxRows) => {
          if (parquetFile === undefined) throw new Error('There is no file to write Parquet to');
          return writeStatementAsParquet(database, statement, parquetFile, signal, maxRows);
        },
      });
    },
  );
