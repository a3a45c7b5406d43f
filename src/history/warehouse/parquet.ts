import { rmSync } from 'node:fs';
import { neverAborted } from '../../lib/never-aborted.ts';
import { using } from '../../lib/using.ts';
import { copyQueryToFile, PARQUET_COPY_OPTIONS } from './sql-result.ts';
import type { MemberColumn } from './member-columns.ts';
import { openAppender, MAX_APPENDED_ROWS, openDatabase, quotedIdentifier, type AppendedValue } from './duckdb.ts';

/** Rows with a value for each column: of a TIMESTAMP milliseconds since 1970, of JSON its text. */
interface RowTable {
  readonly columns: readonly MemberColumn[];
  readonly rows: AsyncIterable<readonly AppendedValue[]> | Iterable<readonly AppendedValue[]>;
}

/**
 * Writes rows into a new file of Parquet, in their order. They are in a file of DuckDB beside it first, so that memory
 * is bounded. The same rows give the same bytes.
 *
 * @throws DomainError where DuckDB is not installed
 */
export const writeRowsAsParquet = async (file: string, { columns, rows }: RowTable): Promise<void> => {
  const rowsFile = `${file}.rows`;
  const removeRows = () => {
    for (const each of [rowsFile, `${rowsFile}.wal`, `${rowsFile}.spill`])
      rmSync(each, { recursive: true, force: true });
  };
  removeRows();
  const options = {
    spillTo: `${rowsFile}.spill`,
    isReadOnly: false,
    memory: 'append',
    // With more, rows may come in another order.
    threads: 1,
    writes: [file],
  } as const;
  const types = columns.map(({ type }) => (type === 'JSON' ? 'VARCHAR' : type));
  try {
    await using(openDatabase(rowsFile, options), async (database) => {
      await database.connection.run(
        `CREATE TABLE written (${columns.map(({ name, type }) => `${quotedIdentifier(name)} ${type}`).join(', ')})`,
      );
      await using(openAppender(database, { schema: 'main', table: 'written', types }), async (appender) => {
        let batch: (readonly AppendedValue[])[] = [];
        const appendBatch = () => appender.append(columns.map((_, column) => batch.map((row) => row[column] ?? null)));
        for await (const row of rows) {
          if (batch.push(row) < MAX_APPENDED_ROWS) continue;
          appendBatch();
          batch = [];
        }
        if (batch.length > 0) appendBatch();
      });
      await copyQueryToFile(database, 'FROM written', file, PARQUET_COPY_OPTIONS, neverAborted);
    });
  } finally {
    removeRows();
  }
};
