import type { Collection, Condition, Filter, Find } from './port.ts';

/** How collections, filters and orders are said in SQL. Names come from definitions in this code, never from requests. */

const quote = (name: string) => `"${name}"`;
const foldedColumn = (name: string) => quote(`${name} (folded)`);

/** Case is folded the same way when a document is stored and when it is looked for. */
export const fold = (text: string): string => text.normalize('NFC').toLowerCase();

export const tableOf = ({ name }: Collection): string => quote(name);

const columnsOf = (collection: Collection): string[] => [
  ...collection.columns.map(quote),
  ...(collection.searched ?? []).map(foldedColumn),
];

export const createStatements = (collection: Collection): string[] => [
  `CREATE TABLE IF NOT EXISTS ${tableOf(collection)} (
    id TEXT PRIMARY KEY, position TEXT NOT NULL, document TEXT NOT NULL
    ${columnsOf(collection)
      .map((column) => `, ${column} ANY`)
      .join('')}
  ) STRICT`,
  ...collection.indexes.map((index, number) => {
    const columns = index.map((name) =>
      name.startsWith('-') ? `${quote(name.slice(1))} DESC` : quote(name),
    );
    return `CREATE INDEX IF NOT EXISTS ${quote(`${collection.name} ${number + 1}`)} ON ${tableOf(collection)} (${columns.join(', ')})`;
  }),
];

export const dropStatement = (name: string): string => `DROP TABLE IF EXISTS ${quote(name)}`;

/** A column's value as SQLite stores it. */
export type Value = string | number | null;
const toValue = (member: unknown): Value =>
  typeof member === 'string' || typeof member === 'number'
    ? member
    : typeof member === 'boolean'
      ? Number(member)
      : null;

export const upsertStatement = (collection: Collection): string => {
  const columns = ['id', 'position', 'document', ...columnsOf(collection)];
  return `INSERT OR REPLACE INTO ${tableOf(collection)} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
};

export const upsertValues = (collection: Collection, id: string, position: string, doc: object): Value[] => {
  const members = new Map<string, unknown>(Object.entries(doc));
  const searched = (collection.searched ?? []).map((name) => {
    const value = toValue(members.get(name));
    return typeof value === 'string' ? fold(value) : value;
  });
  return [
    id,
    position,
    JSON.stringify(doc),
    ...collection.columns.map((name) => toValue(members.get(name))),
    ...searched,
  ];
};

export const deleteStatement = (collection: Collection): string =>
  `DELETE FROM ${tableOf(collection)} WHERE id = ?`;

interface Sql {
  readonly sql: string;
  readonly values: Value[];
}

const condition = (name: string, wanted: Condition): Sql => {
  const column = quote(name);
  if (wanted === null) return { sql: `${column} IS NULL`, values: [] };
  if (typeof wanted !== 'object') return { sql: `${column} = ?`, values: [wanted] };
  // One parameter whatever the length of the list, so that one prepared statement serves all.
  if ('in' in wanted)
    return { sql: `${column} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(wanted.in)] };
  if ('atMost' in wanted) return { sql: `${column} <= ?`, values: [wanted.atMost] };
  return { sql: `instr(${foldedColumn(name)}, ?) > 0`, values: [fold(wanted.contains)] };
};

const whereOf = <Doc>(filter: Filter<Doc>): Sql => {
  const parts = Object.entries<Condition | undefined>(filter).flatMap(([name, wanted]) =>
    wanted === undefined ? [] : [condition(name, wanted)],
  );
  return {
    sql: parts.length > 0 ? ` WHERE ${parts.map(({ sql }) => sql).join(' AND ')}` : '',
    values: parts.flatMap(({ values }) => values),
  };
};

export const findStatement = <Doc extends object>(
  collection: Collection<Doc>,
  { filter, order = [], skip = 0, limit }: Find<Doc>,
): Sql => {
  const where = whereOf(filter);
  const terms = order.map(
    ([name, direction]) => `${quote(name)} ${direction === 'descending' ? 'DESC' : 'ASC'}`,
  );
  const sorted = terms.length > 0 ? ` ORDER BY ${terms.join(', ')}` : '';
  return {
    sql: `SELECT id, position, document FROM ${tableOf(collection)}${where.sql}${sorted} LIMIT ? OFFSET ?`,
    values: [...where.values, limit ?? -1, Math.min(skip, Number.MAX_SAFE_INTEGER)],
  };
};

export const countStatement = <Doc extends object>(collection: Collection<Doc>, filter: Filter<Doc>): Sql => {
  const where = whereOf(filter);
  return { sql: `SELECT count(*) FROM ${tableOf(collection)}${where.sql}`, values: where.values };
};
