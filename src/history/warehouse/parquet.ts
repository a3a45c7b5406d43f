import { rmSync } from 'node:fs';
import type { MemberColumn } from './columns.ts';
import { appendTo, literal, MAX_APPENDED, openDatabase, quoted, type Appended } from './duckdb.ts';

/**
 * Begins a file of Parquet. Until it is finished, the rows are in a file of DuckDB beside it, so that memory is
 * bounded. The same rows give the same bytes.
 *
 * @param file must be new
 * @throws DomainError where DuckDB is not installed
 */
export const beginParquet = async (file: string, columns: readonly MemberColumn[]) => {
  const rowsFile = `${file}.rows`;
  const removeRows = () => {
    for (const each of [rowsFile, `${rowsFile}.wal`, `${rowsFile}.spill`])
      rmSync(each, { recursive: true, force: true });
  };
  removeRows();
  const database = await openDatabase(rowsFile, {
    spillTo: `${rowsFile}.spill`,
    isReadOnly: false,
    memory: 'append',
    // With more, rows may come in another order.
    threads: 1,
    writes: [file],
  });
  const types = columns.map(({ type }) => (type === 'JSON' ? 'VARCHAR' : type));
  await database.connection.run(
    `CREATE TABLE written (${columns.map(({ name, type }) => `${quoted(name)} ${type}`).join(', ')})`,
  );
  const appending = await appendTo(database, { schema: 'main', table: 'written', types });
  let waiting: (readonly Appended[])[] = [];
  const appendWaiting = () => {
    const some = waiting;
    waiting = [];
    appending.append(columns.map((_, column) => some.map((row) => row[column] ?? null)));
  };
  let isAppending = true;
  const endAppending = () => {
    if (isAppending) appending.close();
    isAppending = false;
  };
  return {
    /** A value for each column: of a TIMESTAMP milliseconds since 1970, of JSON its text. */
    append(rows: readonly (readonly Appended[])[]): void {
      for (const row of rows) if (waiting.push(row) === MAX_APPENDED) appendWaiting();
    },
    /** Writes the file, with the rows in the order in which they were appended. */
    async finish(): Promise<void> {
      if (waiting.length > 0) appendWaiting();
      endAppending();
      await database.connection.run(
        `COPY written TO ${literal(file)} (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)`,
      );
    },
    /** Frees what it holds; without `finish` before it there is no file. */
    close(): void {
      endAppending();
      database.close();
      removeRows();
    },
  };
};
