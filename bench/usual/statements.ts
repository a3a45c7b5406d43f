import type { Connection } from '../../src/sqlite/connections.ts';

/** What a prepared statement gives for its values. */
type Select<Result> = (...values: readonly unknown[]) => Result;

/** A row of the read models. */
export interface Row<Doc> {
  readonly id: string;
  readonly doc: Doc;
}

/** Prepares a statement that gives `id` and `document` of rows. */
export const selectAll = <Doc>(connection: Connection, sql: string): Select<Row<Doc>[]> => {
  const statement = connection.prepare(sql);
  return (...values) => {
    const rows = statement.all(values) as { readonly id: string; readonly document: string }[];
    return rows.map(({ id, document }) => ({ id, doc: JSON.parse(document) as Doc }));
  };
};

/** Prepares a statement that gives `id` and `document` of one row at most. */
export const selectOne = <Doc>(connection: Connection, sql: string): Select<Doc | undefined> => {
  const select = selectAll<Doc>(connection, sql);
  return (...values) => select(...values)[0]?.doc;
};

/** Prepares a statement that gives one value; undefined where there is no row. */
export const selectValue = <Value extends string | number | null>(
  connection: Connection,
  sql: string,
): Select<Value | undefined> => {
  const statement = connection.prepare(sql).raw();
  return (...values) => (statement.get(values) as readonly [Value] | undefined)?.[0];
};
