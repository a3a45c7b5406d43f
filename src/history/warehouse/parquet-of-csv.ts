import type { MemberColumn } from './columns.ts';
import { databaseOf, literal } from './duckdb.ts';

/** A file of CSV without headings, as `plainCell` writes cells, and the file of Parquet that it becomes. */
export interface CsvToParquet {
  readonly csv: string;
  readonly columns: readonly MemberColumn[];
  /** Written anew. */
  readonly parquet: string;
}

/** Bytes of one row, at most: a posting's description and lists are some 100 KB. */
const MAX_ROW = 2_000_000;
/** Bytes that DuckDB reads at a time, and rows that it stores together: both are in its memory, which is bounded. */
const A_READ = 2 * MAX_ROW;
const ROW_GROUP = 20_480;

/**
 * Writes files of Parquet from files of CSV, row by row in their order: the same rows give the same bytes. DuckDB
 * parses text several times faster than it can be given values one by one.
 *
 * @param spillTo where DuckDB may write what does not fit into its memory
 * @throws DomainError where DuckDB is not installed
 */
export const parquetOfCsv = async (files: readonly CsvToParquet[], spillTo: string): Promise<void> => {
  const within = databaseOf(':memory:', {
    spillTo,
    isReadOnly: false,
    memory: 'append',
    // With more, rows may come in another order.
    threads: 1,
    writes: files.flatMap(({ csv, parquet }) => [csv, parquet]),
  });
  await within(async ({ connection }) => {
    for (const { csv, columns, parquet } of files) {
      const types = columns.map(({ name, type }) => `${literal(name)}: ${literal(type)}`).join(', ');
      await connection.run(
        `COPY (FROM read_csv(${literal(csv)}, columns = {${types}}, auto_detect = false, header = false,
           delim = ',', quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false,
           parallel = false, max_line_size = ${MAX_ROW}, buffer_size = ${A_READ}))
         TO ${literal(parquet)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${ROW_GROUP}, USE_TMP_FILE false)`,
      );
    }
  });
};
