import type { Connection } from '../../sqlite/connections.ts';
import { quoted } from '../warehouse/duckdb.ts';

export type SqliteValue = string | number | null;

/** Collects rows for a table, which go into it in one statement: one for each row would take several times as long. */
export const waitingRows = (connection: Connection, table: string, columns: readonly string[]) => {
  const values = columns.map((_, index) => `value ->> ${index}`).join(', ');
  const sql = `INSERT OR IGNORE INTO ${quoted(table)} (${columns.map(quoted).join(', ')}) SELECT ${values} FROM json_each(?)`;
  const statement = connection.prepare(sql);
  let rows: (readonly SqliteValue[])[] = [];
  return {
    add: (row: readonly SqliteValue[]) => void rows.push(row),
    /** Those whose key is there already count as inserted. */
    insert(): void {
      if (rows.length > 0) statement.run([JSON.stringify(rows)]);
      rows = [];
    },
  };
};

export type WaitingRows = ReturnType<typeof waitingRows>;
