import { createRequire } from 'node:module';
import type * as DuckDB from '@duckdb/node-api';
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { forbidden } from '../../errors/domain-error.ts';
import { UnusableFileError } from '../../errors/unusable-file.ts';
import { using } from '../../lib/using.ts';

export interface Database {
  readonly connection: DuckDBConnection;
  close(): void;
}

type WithDatabase = <T>(act: (database: Database) => Promise<T>) => Promise<T>;

export interface DatabaseOptions {
  /** Where it may write what does not fit into its memory, and nowhere else but its file. */
  readonly spillTo: string;
  readonly isReadOnly: boolean;
  readonly threads: 1 | 2;
  /**
   * What its memory is for: rows that are appended or copied into files, objects of OCEL and cases, queries (if left
   * out), or a statement over HTTP.
   */
  readonly memory?: keyof typeof MEMORY_LIMITS | undefined;
  /** Files that it may write besides. */
  readonly writes?: readonly string[];
  /** A directory in which it may write any file besides. */
  readonly writesIn?: string | undefined;
  /** Files of other databases that it reads besides, by the names that they have in it. */
  readonly attached?: Readonly<Record<string, string>>;
  /** Of days and of times that are shown; left out: UTC, wherever the machine is. */
  readonly timeZone?: string | undefined;
}

/**
 * What DuckDB says it holds in memory at most; it holds some more. While events are appended, this process has a copy
 * of some of them beside it.
 */
const MEMORY_LIMITS = {
  append: { memory_limit: '60MB' },
  copy: { memory_limit: '80MB' },
  // Objects of a million events are joined in no less.
  objects: { memory_limit: '128MB' },
  query: { memory_limit: '128MB' },
  statement: { memory_limit: '384MB', max_temp_directory_size: '1GB' },
} as const;

/** Loaded where it is used, since the package need not be installed. @throws DomainError where it is not */
const loadDuckDB = () => {
  try {
    return createRequire(import.meta.url)('./duckdb-client.cjs') as typeof DuckDB;
  } catch {
    throw forbidden(
      'SQL, reports, CSV, Parquet and OCEL need the package @duckdb/node-api, which is not installed here; npm install puts it there, where it exists for the platform',
    );
  }
};

/** @throws DomainError where DuckDB is not installed */
export const refuseWithoutDuckDB = (): void => void loadDuckDB();

/** A text as a literal of SQL. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
/** A time as text (RFC 3339, UTC, milliseconds), in SQL. */
export const timeTextSql = (time: string): string => `strftime(${time} AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%gZ')`;
/** A name as an identifier of SQL. */
export const quotedIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** How messages of DuckDB begin on a full disk, after a failed write, and for all that it refuses from then on. */
const OF_FILE = /^(?:IO|FATAL|INTERNAL|Serialization|TransactionContext) Error: .*/;

/** A failure that is a file's, as one line for the operator; any other as it is. */
export const toUnusableFileError = (file: string, error: unknown): unknown => {
  if (!(error instanceof Error)) return error;
  // A failure of the operating system has a path where it is about a file.
  const [line] = 'path' in error ? [error.message] : (OF_FILE.exec(error.message) ?? []);
  return line === undefined
    ? error
    : new UnusableFileError(`The warehouse ${file} cannot be used: ${line}; allowed: a directory with room`, {
        cause: error,
      });
};

/**
 * Opens a database file of DuckDB, bounded in memory, which loads no extension and reads no other file; no statement
 * can change that.
 *
 * @throws DomainError where DuckDB is not installed
 * @throws UnusableFileError for a file that it cannot open
 */
export const openDatabase = async (
  file: string,
  {
    spillTo,
    isReadOnly,
    threads,
    memory = 'query',
    writes = [],
    writesIn,
    attached = {},
    timeZone = 'UTC',
  }: DatabaseOptions,
): Promise<Database> => {
  const { DuckDBInstance } = loadDuckDB();
  const instance = await DuckDBInstance.create(file, {
    access_mode: isReadOnly ? 'READ_ONLY' : 'READ_WRITE',
    ...MEMORY_LIMITS[memory],
    threads: String(threads),
    temp_directory: spillTo,
    // In this format a checkpoint tries one compression of texts instead of two, and takes a third of the time.
    ...(!isReadOnly && { storage_compatibility_version: 'v1.3.0' }),
    // What is freed is given back at once where memory is short; else up to 128 MB are kept, whatever the limit.
    ...((!isReadOnly || memory !== 'query') && {
      allocator_flush_threshold: '4MB',
      allocator_bulk_deallocation_flush_threshold: '4MB',
    }),
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  }).catch((error: unknown) => {
    throw toUnusableFileError(file, error);
  });
  const connection = await instance.connect();
  const close = () => {
    connection.closeSync();
    instance.closeSync();
  };
  try {
    await connection.run(`SET TimeZone = ${literal(timeZone)}`);
    for (const [name, other] of Object.entries(attached))
      await connection.run(`ATTACH ${literal(other)} AS ${quotedIdentifier(name)} (READ_ONLY)`);
    await connection.run(`SET allowed_paths = [${writes.map(literal).join()}]`);
    if (writesIn !== undefined) await connection.run(`SET allowed_directories = [${literal(writesIn)}]`);
    await connection.run('SET enable_external_access = false');
    await connection.run('SET lock_configuration = true');
    return { connection, close };
  } catch (error) {
    close();
    throw error;
  }
};

/** The rows that a small query gives. */
export const rowsOfQuery = async (
  { connection }: Database,
  sql: string,
  values: readonly DuckDBValue[] = [],
): Promise<readonly (readonly DuckDBValue[])[]> => (await connection.runAndReadAll(sql, [...values])).getRows();

/** The first value of the first row, as text; undefined for no row and for null. */
export const textOfQuery = async (
  database: Database,
  sql: string,
  values: readonly DuckDBValue[] = [],
): Promise<string | undefined> => {
  const [row] = await rowsOfQuery(database, sql, values);
  const value = row?.[0];
  return value === undefined || value === null ? undefined : String(value);
};

/** Runs statements in one transaction. */
export const inTransaction = async <T>({ connection }: Database, act: () => Promise<T>): Promise<T> => {
  await connection.run('BEGIN');
  try {
    const result = await act();
    await connection.run('COMMIT');
    return result;
  } catch (error) {
    // Some failures end the transaction by themselves.
    await connection.run('ROLLBACK').catch(() => undefined);
    throw error;
  }
};

/** The types of columns that rows are appended with. */
export type ColumnType = 'VARCHAR' | 'INTEGER' | 'BIGINT' | 'DOUBLE' | 'BOOLEAN' | 'TIMESTAMP' | 'TIMESTAMPTZ';
/** A value to append; a time in milliseconds since 1970. */
export type AppendedValue = string | number | boolean | null;

/** Rows that one append takes at most. */
export const MAX_APPENDED_ROWS = 2_048;

/** Appends that DuckDB's appender holds in memory; by itself it would hold 100. */
const MAX_UNFLUSHED = 4;

/** Begins to append rows to a table with columns of some types, column by column. */
export const openAppender = async (
  { connection }: Database,
  { schema, table, types }: { readonly schema: string; readonly table: string; readonly types: readonly ColumnType[] },
) => {
  const duckdb = loadDuckDB();
  const appender = await connection.createAppender(table, schema);
  // One for all rows: its memory is not V8's, and would be freed late.
  const chunk = duckdb.DuckDBDataChunk.create(types.map((type) => duckdb[type]));
  let unflushed = 0;
  const toValue = (value: AppendedValue, type: ColumnType | undefined): DuckDBValue => {
    if (typeof value !== 'number') return value;
    if (type === 'TIMESTAMP') return new duckdb.DuckDBTimestampValue(BigInt(value) * 1_000n);
    if (type === 'TIMESTAMPTZ') return new duckdb.DuckDBTimestampTZValue(BigInt(value) * 1_000n);
    return type === 'BIGINT' ? BigInt(value) : value;
  };
  return {
    append(columns: readonly (readonly AppendedValue[])[]): void {
      chunk.reset();
      chunk.rowCount = columns[0]?.length ?? 0;
      chunk.setColumns(columns.map((values, column) => values.map((value) => toValue(value, types[column]))));
      appender.appendDataChunk(chunk);
      if (++unflushed < MAX_UNFLUSHED) return;
      appender.flushSync();
      unflushed = 0;
    },
    close: () => appender.closeSync(),
  };
};

/** Opens the database of a file, each time anew. */
export const withDatabase =
  (file: string, options: DatabaseOptions): WithDatabase =>
  (act) =>
    using(openDatabase(file, options), act);

/** A database that is opened when something is done with it, and then stays open. */
export interface LazyDatabase {
  /** One act at a time. */
  readonly within: WithDatabase;
  /** Closes it until it is needed again: only so DuckDB frees all memory that it took for large writes. */
  readonly close: () => void;
}

/** Opens the database of a file when it is needed. */
export const createLazyDatabase = (file: string, options: DatabaseOptions): LazyDatabase => {
  let database: Database | undefined;
  const close = () => {
    database?.close();
    database = undefined;
  };
  return { within: async (act) => act((database ??= await openDatabase(file, options))), close };
};
