import type { Connection } from '../../sqlite/connections.ts';
import { findStatement, idsStatement, partitionStatement, tableOf } from './sql.ts';
import {
  NotBuilt,
  type Collection,
  type Filter,
  type Find,
  type ReadModels,
  type Stored,
  type StoredText,
} from '../port.ts';
import { comparer, matcher } from '../sift.ts';

/** `ReadModels`, but synchronous. */
export interface Selects {
  readonly get: <Doc extends object>(collection: Collection<Doc>, id: string) => Stored<Doc> | undefined;
  readonly inPartition: (collection: Collection, value: string) => Stored<object>[];
  readonly find: <Doc extends object>(collection: Collection<Doc>, find: Find<Doc>) => Stored<Doc>[];
  readonly count: <Doc extends object>(collection: Collection<Doc>, filter: Filter<Doc>) => number;
  readonly ids: (collection: Collection, column: string, value: string) => string[];
  readonly scan: (collection: Collection, after: string, limit: number) => StoredText[];
}

type Statement = ReturnType<Connection['prepare']>;
type Row = readonly [id: string, document: string];

const toStored = <Doc>([id, document]: Row): Stored<Doc> => ({
  id,
  doc: JSON.parse(document) as Doc,
});

const sift = <Doc extends object>(all: Stored<Doc>[], { filter, order = [], skip = 0, limit }: Find<Doc>) =>
  all
    .filter(matcher(filter))
    .sort(comparer(order))
    .slice(skip, limit === undefined ? undefined : skip + limit);

/** Runs a read. @throws NotBuilt where the collection is missing */
const ofCollection = <T>({ name }: Collection, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    throw error instanceof Error && error.message.includes('no such table') ? new NotBuilt(name) : error;
  }
};

export const selectsOf = (connection: Connection): Selects => {
  const prepared = new Map<string, Statement>();
  /** Prepares each SQL text once; there are as many as kinds of queries. */
  const select = (sql: string): Statement => {
    let statement = prepared.get(sql);
    if (!statement) prepared.set(sql, (statement = connection.prepare(sql).raw()));
    return statement;
  };
  const find: Selects['find'] = <Doc extends object>(collection: Collection<Doc>, query: Find<Doc>) => {
    const { sql, values, left } = findStatement(collection, query);
    const rows = ofCollection(collection, () => select(sql).all(values) as Row[]);
    const found = rows.map((row) => toStored<Doc>(row));
    return left ? sift(found, left) : found;
  };
  return {
    get: (collection, id) => {
      const sql = `SELECT id, document FROM ${tableOf(collection)} WHERE id = ?`;
      const row = ofCollection(collection, () => select(sql).get([id]) as Row | undefined);
      return row && toStored(row);
    },
    inPartition: (collection, value) => {
      const sql = partitionStatement(collection);
      const rows = ofCollection(collection, () => select(sql).all([value]) as Row[]);
      return rows.map((row) => toStored<object>(row));
    },
    find,
    count: (collection, filter) => {
      const { sql, values, left } = findStatement(collection, { filter });
      if (left) return find(collection, { filter }).length;
      const counting = `SELECT count(*) FROM (${sql})`;
      const [count] = ofCollection(collection, () => select(counting).get(values) as readonly [number]);
      return count;
    },
    ids: (collection, column, value) => {
      const sql = idsStatement(collection, column);
      return (ofCollection(collection, () => select(sql).all([value])) as (readonly [string])[]).flat();
    },
    scan: (collection, after, limit) => {
      const sql = `SELECT id, document FROM ${tableOf(collection)} WHERE id > ? ORDER BY id LIMIT ?`;
      const rows = ofCollection(collection, () => select(sql).all([after, limit]) as Row[]);
      return rows.map(([id, text]) => ({ id, text }));
    },
  };
};

export const asReadModels = ({ get, find, count }: Pick<Selects, 'get' | 'find' | 'count'>): ReadModels => ({
  get: (collection, id) => Promise.resolve(get(collection, id)),
  find: (collection, query) => Promise.resolve(find(collection, query)),
  count: (collection, filter) => Promise.resolve(count(collection, filter)),
});
