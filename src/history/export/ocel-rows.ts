import type { Connection } from '../../sqlite/connections.ts';
import { quoted } from '../tables/duckdb.ts';

export type SqliteValue = string | number | null;

export interface WaitingRows {
  add(row: readonly SqliteValue[]): void;
  /** Inserts the rows; those whose key is there already count as inserted. */
  insert(): void;
}

/** Collects rows for a table, which go into it in one statement: one for each row would take several times as long. */
export const waitingRows = (
  connection: Connection,
  table: string,
  columns: readonly string[],
): WaitingRows => {
  const values = columns.map((_, index) => `value ->> ${index}`).join(', ');
  const sql = `INSERT OR IGNORE INTO ${quoted(table)} (${columns.map(quoted).join(', ')}) SELECT ${values} FROM json_each(?)`;
  const statement = connection.prepare(sql);
  let rows: (readonly SqliteValue[])[] = [];
  return {
    add: (row) => void rows.push(row),
    insert() {
      if (rows.length > 0) statement.run([JSON.stringify(rows)]);
      rows = [];
    },
  };
};
