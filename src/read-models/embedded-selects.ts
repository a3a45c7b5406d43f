import type { Connection } from '../sqlite/connections.ts';
import { findStatement, partitionStatement, tableOf } from './embedded-sql.ts';
import type { Collection, Filter, Find, ReadModels, Stored } from './port.ts';
import { comparer, matcher } from './sift.ts';

/** `ReadModels`, at once. */
export interface Selects {
  readonly get: <Doc extends object>(collection: Collection<Doc>, id: string) => Stored<Doc> | undefined;
  /** All documents of one partition. */
  readonly inPartition: (collection: Collection, value: string) => Stored<object>[];
  readonly find: <Doc extends object>(collection: Collection<Doc>, find: Find<Doc>) => Stored<Doc>[];
  readonly count: <Doc extends object>(collection: Collection<Doc>, filter: Filter<Doc>) => number;
}

type Statement = ReturnType<Connection['prepare']>;
type Row = readonly [id: string, position: string, document: string];

const toStored = <Doc>([id, position, document]: Row): Stored<Doc> => ({
  id,
  position,
  doc: JSON.parse(document) as Doc,
});

const sift = <Doc extends object>(all: Stored<Doc>[], { filter, order = [], skip = 0, limit }: Find<Doc>) =>
  all
    .filter(matcher(filter))
    .sort(comparer(order))
    .slice(skip, limit === undefined ? undefined : skip + limit);

/** Prepares each text once; there are as many as there are kinds of finds. */
export const cachedStatements = (prepare: (sql: string) => Statement) => {
  const prepared = new Map<string, Statement>();
  return (sql: string) => {
    let statement = prepared.get(sql);
    if (!statement) prepared.set(sql, (statement = prepare(sql)));
    return statement;
  };
};

export const selectsOf = (connection: Connection): Selects => {
  const select = cachedStatements((sql) => connection.prepare(sql).raw());
  const find: Selects['find'] = <Doc extends object>(collection: Collection<Doc>, wanted: Find<Doc>) => {
    const { sql, values, left } = findStatement(collection, wanted);
    const found = (select(sql).all(values) as Row[]).map((row) => toStored<Doc>(row));
    return left ? sift(found, left) : found;
  };
  return {
    get: (collection, id) => {
      const sql = `SELECT id, position, document FROM ${tableOf(collection)} WHERE id = ?`;
      const row = select(sql).get([id]) as Row | undefined;
      return row && toStored(row);
    },
    inPartition: (collection, value) => {
      const sql = partitionStatement(collection);
      return (select(sql).all([value]) as Row[]).map((row) => toStored<object>(row));
    },
    find,
    count: (collection, filter) => {
      const { sql, values, left } = findStatement(collection, { filter });
      if (left) return find(collection, { filter }).length;
      const [count] = select(`SELECT count(*) FROM (${sql})`).get(values) as readonly [number];
      return count;
    },
  };
};

export const asReadModels = ({ get, find, count }: Selects): ReadModels => ({
  get: (collection, id) => Promise.resolve(get(collection, id)),
  find: (collection, wanted) => Promise.resolve(find(collection, wanted)),
  count: (collection, filter) => Promise.resolve(count(collection, filter)),
});
