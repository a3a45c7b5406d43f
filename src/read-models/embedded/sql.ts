import { columnNamesOf } from '../columns.ts';
import { conditionsOf } from '../in-memory-query.ts';
import type { Collection, FindQuery, ColumnValue } from '../port.ts';

/** SQL for collections, filters and orders. Names come from definitions in this code, never from requests. */

const quoteIdentifier = (name: string) => `"${name}"`;

const quotedTableOf = ({ name }: Collection): string => quoteIdentifier(name);

export const createTableStatement = (collection: Collection): string =>
  `CREATE TABLE IF NOT EXISTS ${quotedTableOf(collection)} (
    id TEXT NOT NULL, document TEXT NOT NULL
    ${columnNamesOf(collection)
      .map((column) => `, ${quoteIdentifier(column)} ANY`)
      .join('')}
  ) STRICT`;

/** The index that ON CONFLICT (id) needs; fails where two documents have one id. */
export const idIndexStatement = (collection: Collection): string =>
  `CREATE UNIQUE INDEX IF NOT EXISTS ${quoteIdentifier(`${collection.name} id`)} ON ${quotedTableOf(collection)} (id)`;

export const indexStatements = (collection: Collection): string[] =>
  collection.indexes.map((index, number) => {
    const name = quoteIdentifier(`${collection.name} ${number + 1}`);
    return `CREATE INDEX IF NOT EXISTS ${name} ON ${quotedTableOf(collection)} (${index.map(quoteIdentifier).join(', ')})`;
  });

/** Inserts documents whose rows are bound one after another; fails where one is stored already. */
export const insertStatement = (collection: Collection, rows = 1): string => {
  const columns = ['id', 'document', ...columnNamesOf(collection).map(quoteIdentifier)];
  const row = `(${columns.map(() => '?').join(', ')})`;
  return `INSERT INTO ${quotedTableOf(collection)} (${columns.join(', ')}) VALUES ${Array(rows).fill(row).join(', ')}`;
};

const upsert = (collection: Collection, sets: readonly string[], where: string): string =>
  `${insertStatement(collection)}
    ON CONFLICT (id) DO UPDATE SET ${sets.map((column) => `${column} = excluded.${column}`).join(', ')}${where}`;

/** Stores a document; changes nothing when it is stored with other values in its columns. */
export const upsertSameColumnsStatement = (collection: Collection): string => {
  const isSame = columnNamesOf(collection).map(
    (name) => `${quoteIdentifier(name)} IS excluded.${quoteIdentifier(name)}`,
  );
  // An update of the text alone leaves the indexes alone.
  return upsert(collection, ['document'], isSame.length > 0 ? ` WHERE ${isSame.join(' AND ')}` : '');
};

/** Stores a document, with any values in its columns. */
export const replaceStatement = (collection: Collection): string =>
  upsert(collection, ['document', ...columnNamesOf(collection).map(quoteIdentifier)], '');

export const deleteStatement = (collection: Collection): string =>
  `DELETE FROM ${quotedTableOf(collection)} WHERE id = ?`;

/** The rows of a collection that have a value in a column: FROM and what follows it, as all that is read. */
export const fromWhereColumnEquals = (collection: Collection, column: string): string =>
  `FROM ${quotedTableOf(collection)} WHERE ${quoteIdentifier(column)} = ?`;

export const fromWhereIdAfter = (collection: Collection): string =>
  `FROM ${quotedTableOf(collection)} WHERE id > ? ORDER BY id LIMIT ?`;

/** What a find asks of SQL, and what is left to do in memory. */
export interface SplitFind<Doc> {
  readonly rows: string;
  readonly values: ColumnValue[];
  /** Undefined when SQL does all of it. */
  readonly left: FindQuery<Doc> | undefined;
}

export const splitFind = <Doc extends object>(collection: Collection<Doc>, find: FindQuery<Doc>): SplitFind<Doc> => {
  const { filter, order = [], skip = 0, limit } = find;
  const columns = new Set(columnNamesOf(collection)).add('id');
  const conditions = conditionsOf(filter);
  // The rest is tested in memory.
  const equalities = conditions.flatMap(([name, each]) =>
    columns.has(name) && typeof each !== 'object' ? [{ term: `${quoteIdentifier(name)} = ?`, value: each }] : [],
  );
  const isWhole = equalities.length === conditions.length && order.every(([name]) => columns.has(name));
  const where = equalities.length > 0 ? ` WHERE ${equalities.map(({ term }) => term).join(' AND ')}` : '';
  const values = equalities.map(({ value }) => value);
  const rows = `FROM ${quotedTableOf(collection)}${where}`;
  if (!isWhole) return { rows, values, left: find };
  const terms = order.map(
    ([name, direction]) => `${quoteIdentifier(name)} ${direction === 'descending' ? 'DESC' : 'ASC'}`,
  );
  const sorted = terms.length > 0 ? ` ORDER BY ${terms.join(', ')}` : '';
  return {
    rows: `${rows}${sorted} LIMIT ? OFFSET ?`,
    values: [...values, limit ?? -1, Math.min(skip, Number.MAX_SAFE_INTEGER)],
    left: undefined,
  };
};
