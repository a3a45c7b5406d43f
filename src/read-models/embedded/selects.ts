import type { Connection } from '../../sqlite/connections.ts';
import { prepareJson, prepareText, prepareTexts, quoted } from '../../sqlite/texts.ts';
import { rowsAfter, rowsWith, splitFind } from './sql.ts';
import {
  NotBuilt,
  type Collection,
  type Filter,
  type Find,
  type ReadModels,
  type Stored,
  type StoredText,
  type Value,
} from '../port.ts';
import { comparer, matcher } from '../in-memory-query.ts';

/** `ReadModels`, but synchronous. */
export interface Selects {
  readonly get: <Doc extends object>(collection: Collection<Doc>, id: string) => Stored<Doc> | undefined;
  readonly inPartition: (collection: Collection, value: string) => Stored<object>[];
  readonly find: <Doc extends object>(collection: Collection<Doc>, find: Find<Doc>) => Stored<Doc>[];
  readonly count: <Doc extends object>(collection: Collection<Doc>, filter: Filter<Doc>) => number;
  readonly ids: (collection: Collection, column: string, value: string) => string[];
  readonly scan: (collection: Collection, after: string, limit: number) => StoredText[];
}

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

/** Documents are stored as JSON. */
const STORED = [quoted('id'), 'document'];

/** The texts of `STORED`. */
const textsIn = (values: readonly string[]): StoredText[] => {
  const texts: StoredText[] = [];
  for (let at = 0; at < values.length; at += STORED.length)
    texts.push({ id: JSON.parse(values[at] ?? '') as string, text: values[at + 1] ?? '' });
  return texts;
};

const toStored = <Doc>({ id, text }: StoredText): Stored<Doc> => ({ id, doc: JSON.parse(text) as Doc });

/** Prepares each SQL text once; there are as many as kinds of queries. */
const once = <Prepared>(prepare: (rows: string) => Prepared): ((rows: string) => Prepared) => {
  const known = new Map<string, Prepared>();
  return (rows) => {
    let prepared = known.get(rows);
    if (!prepared) known.set(rows, (prepared = prepare(rows)));
    return prepared;
  };
};

export const selectsOf = (connection: Connection): Selects => {
  const document = once((rows) => prepareText(connection, 'document', rows));
  const documents = once((rows) => prepareJson(connection, STORED, rows));
  const idsOf = once((rows) => prepareTexts(connection, ['id'], rows));
  const counting = once((rows) => prepareJson(connection, ['count(*)'], `FROM (SELECT 1 ${rows})`));
  const select = (collection: Collection, rows: string, values: readonly Value[]): StoredText[] =>
    textsIn(ofCollection(collection, () => documents(rows)(...values)));
  const find: Selects['find'] = <Doc extends object>(collection: Collection<Doc>, query: Find<Doc>) => {
    const { rows, values, left } = splitFind(collection, query);
    const found = select(collection, rows, values).map((text) => toStored<Doc>(text));
    return left ? sift(found, left) : found;
  };
  return {
    get: (collection, id) => {
      const text = ofCollection(collection, () => document(rowsWith(collection, 'id'))(id));
      return text === undefined ? undefined : toStored({ id, text });
    },
    inPartition: (collection, value) =>
      select(collection, rowsWith(collection, collection.partition), [value]).map((text) => toStored(text)),
    find,
    count: (collection, filter) => {
      const { rows, values, left } = splitFind(collection, { filter });
      if (left) return find(collection, { filter }).length;
      return Number(ofCollection(collection, () => counting(rows)(...values))[0]);
    },
    ids: (collection, column, value) =>
      ofCollection(collection, () => idsOf(rowsWith(collection, column))(value)),
    scan: (collection, after, limit) => select(collection, rowsAfter(collection), [after, limit]),
  };
};

/** The same reads, each of the `Selects` that `of` finds for its collection. */
export const selectsBy = (of: <T>(collection: Collection, read: (selects: Selects) => T) => T): Selects => ({
  get: (collection, id) => of(collection, (from) => from.get(collection, id)),
  inPartition: (collection, value) => of(collection, (from) => from.inPartition(collection, value)),
  find: (collection, find) => of(collection, (from) => from.find(collection, find)),
  count: (collection, filter) => of(collection, (from) => from.count(collection, filter)),
  ids: (collection, column, value) => of(collection, (from) => from.ids(collection, column, value)),
  scan: (collection, after, limit) => of(collection, (from) => from.scan(collection, after, limit)),
});

export const asReadModels = ({ get, find, count }: Pick<Selects, 'get' | 'find' | 'count'>): ReadModels => ({
  get: (collection, id) => Promise.resolve(get(collection, id)),
  find: (collection, query) => Promise.resolve(find(collection, query)),
  count: (collection, filter) => Promise.resolve(count(collection, filter)),
});
