import type { DuckDBValue } from '@duckdb/node-api';
import { invalid } from '../../errors/domain-error.ts';
import { errorMessageOf } from '../../lib/error.ts';
import { literal, rowsOfQuery, type Database } from './duckdb.ts';

/** A column, with DuckDB's name of its type. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
}

export interface SqlResult {
  readonly columns: readonly TableColumn[];
  /** Each cell as text, null for NULL; a batch is a few thousand rows at most. */
  readonly batches: AsyncIterable<readonly (readonly (string | null)[])[]>;
}

/** How cells are given: as DuckDB writes them, or as JSON. */
export type CellFormat = 'text' | 'json';

const alias = (index: number): string => `c${index}`;

/** A statement as a table, its columns renamed so that two may have one name. The line break ends a comment. */
const asTable = (statement: string, columns: readonly TableColumn[]): string =>
  `(\n${withoutEnd(statement)}\n) AS answer(${columns.map((_, index) => alias(index)).join(', ')})`;

/** Without the semicolons at its end. */
const withoutEnd = (statement: string): string => statement.replace(/[;\s]+$/, '');

const cell = (index: number, form: CellFormat): string =>
  form === 'text' ? `CAST(${alias(index)} AS VARCHAR)` : `CAST(to_json(${alias(index)}) AS VARCHAR)`;

/** In place of a message in which DuckDB has cut a token within a character: its client makes no text of that. */
export const FALLBACK_DUCKDB_MESSAGE = 'DuckDB says nothing readable of it, as for a very long name';

/**
 * What DuckDB says, in one line, and in further ones where in the statement.
 *
 * @param linesBefore lines of what is run that stand before the statement's first
 */
export const duckDBMessageOf = (error: unknown, linesBefore: 0 | 1): string => {
  const [what = '', ...where] = errorMessageOf(error)
    .replace(/^Error in native callback$/, FALLBACK_DUCKDB_MESSAGE)
    .split(/\n+(?=LINE \d+: )/);
  const excerpt = where.map((text) =>
    // As wide as before, since the caret stands below it.
    text.replace(/\d+/, (line) => String(Number(line) - linesBefore).padStart(line.length)),
  );
  return [what.replace(/\s*\n\s*/g, ' '), ...excerpt].join('\n');
};

/** Runs something for a statement, and refuses what DuckDB does not do. */
const refusing = async <T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> => {
  try {
    return await run();
  } catch (error) {
    // The reason says why it was stopped.
    if (signal.aborted) throw signal.reason;
    throw invalid(duckDBMessageOf(error, 1));
  }
};

/** Ends what runs when the signal is aborted. @returns ends that */
export const interruptOnAbort = ({ connection }: Database, signal: AbortSignal): (() => void) => {
  const interrupt = () => connection.interrupt();
  signal.addEventListener('abort', interrupt, { once: true });
  return () => signal.removeEventListener('abort', interrupt);
};

/** The columns that a SELECT has. */
export const describeColumns = async (database: Database, statement: string): Promise<readonly TableColumn[]> => {
  const rows = await rowsOfQuery(database, `DESCRIBE FROM (\n${withoutEnd(statement)}\n)`);
  return rows.map(([name, type]) => ({ name: String(name), type: String(type) }));
};

const textOf = (value: DuckDBValue): string | null => (value === null ? null : String(value));

async function* batchesOf(
  database: Database,
  sql: string,
  signal: AbortSignal,
): AsyncGenerator<readonly (readonly (string | null)[])[], void, undefined> {
  const done = interruptOnAbort(database, signal);
  try {
    const result = await refusing(() => database.connection.stream(sql), signal);
    for (;;) {
      signal.throwIfAborted();
      const chunk = await refusing(() => result.fetchChunk(), signal);
      if (!chunk || chunk.rowCount === 0) return;
      yield chunk.getRows().map((row) => row.map(textOf));
    }
  } finally {
    done();
  }
}

/**
 * Runs a statement that `analyzeStatement` has let pass. Its rows are read as they are asked for.
 *
 * @throws DomainError for what DuckDB refuses; the signal's reason where that is aborted
 */
export const streamSqlResult = async (
  database: Database,
  statement: string,
  form: CellFormat,
  signal: AbortSignal,
): Promise<SqlResult> => {
  const columns = await refusing(() => describeColumns(database, statement), signal);
  const cells = columns.map((_, index) => cell(index, form)).join(', ');
  return { columns, batches: batchesOf(database, `SELECT ${cells} FROM ${asTable(statement, columns)}`, signal) };
};

/** The first column of a SELECT as text, some thousand rows at a time. @throws as `streamSqlResult` */
export async function* streamFirstColumn(
  database: Database,
  select: string,
  signal: AbortSignal,
): AsyncGenerator<readonly string[], void, undefined> {
  for await (const rows of batchesOf(database, select, signal)) yield rows.map(([text]) => text ?? '');
}

/**
 * Has DuckDB write the rows of a SELECT into a file.
 *
 * @param options of COPY
 * @returns how many rows
 * @throws DomainError for what DuckDB refuses; the signal's reason where that is aborted
 */
export const copyQueryToFile = async (
  database: Database,
  select: string,
  file: string,
  options: string,
  signal: AbortSignal,
): Promise<number> => {
  const done = interruptOnAbort(database, signal);
  try {
    const sql = `COPY (\n${select}\n) TO ${literal(file)} (${options}, USE_TMP_FILE false)`;
    return Number((await refusing(() => rowsOfQuery(database, sql), signal))[0]?.[0] ?? 0);
  } finally {
    done();
  }
};

/** The options of COPY for files of Parquet. */
export const PARQUET_COPY_OPTIONS = 'FORMAT parquet, COMPRESSION zstd';

/**
 * Writes the answer to a statement into a file of Parquet.
 *
 * @param maxRows left out: all rows
 * @returns how many rows it has
 */
export const writeStatementAsParquet = async (
  database: Database,
  statement: string,
  file: string,
  signal: AbortSignal,
  maxRows?: number,
): Promise<number> => {
  const limit = maxRows === undefined ? '' : ` LIMIT ${maxRows}`;
  const select = `FROM (\n${withoutEnd(statement)}\n)${limit}`;
  return copyQueryToFile(database, select, file, PARQUET_COPY_OPTIONS, signal);
};
