import type { Connection } from '../../sqlite/connections.ts';
import { prepareJsonSelect, prepareTextSelect, prepareTextsSelect, jsonQuoteSql } from '../../sqlite/texts.ts';
import { fromWhereIdAfter, fromWhereColumnEquals, splitFind } from './sql.ts';
import {
  NotBuiltError,
  type Collection,
  type Filter,
  type FindQuery,
  type ReadModels,
  type StoredDocument,
  type StoredDocumentText,
  type ColumnValue,
} from '../port.ts';
import { comparer, matcher } from '../in-memory-query.ts';

/** `ReadModels`, but synchronous. */
export interface SyncReadModels {
  readonly get: <Doc extends object>(collection: Collection<Doc>, id: string) => StoredDocument<Doc> | undefined;
  readonly inPartition: (collection: Collection, value: string) => StoredDocument<object>[];
  readonly find: <Doc extends object>(collection: Collection<Doc>, find: FindQuery<Doc>) => StoredDocument<Doc>[];
  readonly count: <Doc extends object>(collection: Collection<Doc>, filter: Filter<Doc>) => number;
  readonly ids: (collection: Collection, column: string, value: string) => string[];
  readonly scan: (collection: Collection, after: string, limit: number) => StoredDocumentText[];
}

const queryInMemory = <Doc extends object>(
  all: StoredDocument<Doc>[],
  { filter, order = [], skip = 0, limit }: FindQuery<Doc>,
) =>
  all
    .filter(matcher(filter))
    .sort(comparer(order))
    .slice(skip, limit === undefined ? undefined : skip + limit);

/** Runs a read. @throws NotBuiltError where the collection is missing */
const ofCollection = <T>({ name }: Collection, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    throw error instanceof Error && error.message.includes('no such table') ? new NotBuiltError(name) : error;
  }
};

/** Documents are stored as JSON. */
const STORED = [jsonQuoteSql('id'), 'document'];

/** The texts of `STORED`. */
const textsIn = (values: readonly string[]): StoredDocumentText[] => {
  const texts: StoredDocumentText[] = [];
  for (let at = 0; at < values.length; at += STORED.length)
    texts.push({ id: JSON.parse(values[at] ?? '') as string, text: values[at + 1] ?? '' });
  return texts;
};

const toStored = <Doc>({ id, text }: StoredDocumentText): StoredDocument<Doc> => ({ id, doc: JSON.parse(text) as Doc });

/** Prepares each SQL text once; there are as many as kinds of queries. */
const memoizeBySql = <Prepared>(prepare: (rows: string) => Prepared): ((rows: string) => Prepared) => {
  const known = new Map<string, Prepared>();
  return (rows) => {
    let prepared = known.get(rows);
    if (!prepared) known.set(rows, (prepared = prepare(rows)));
    return prepared;
  };
};

export const createSyncReadModels = (connection: Connection): SyncReadModels => {
  const document = memoizeBySql((rows) => prepareTextSelect(connection, 'document', rows));
  const documents = memoizeBySql((rows) => prepareJsonSelect(connection, STORED, rows));
  const idsOf = memoizeBySql((rows) => prepareTextsSelect(connection, ['id'], rows));
  const counting = memoizeBySql((rows) => prepareJsonSelect(connection, ['count(*)'], `FROM (SELECT 1 ${rows})`));
  const select = (collection: Collection, rows: string, values: readonly ColumnValue[]): StoredDocumentText[] =>
    textsIn(ofCollection(collection, () => documents(rows)(...values)));
  const find: SyncReadModels['find'] = <Doc extends object>(collection: Collection<Doc>, query: FindQuery<Doc>) => {
    const { rows, values, left } = splitFind(collection, query);
    const found = select(collection, rows, values).map((text) => toStored<Doc>(text));
    return left ? queryInMemory(found, left) : found;
  };
  return {
    get: (collection, id) => {
      const text = ofCollection(collection, () => document(fromWhereColumnEquals(collection, 'id'))(id));
      return text === undefined ? undefined : toStored({ id, text });
    },
    inPartition: (collection, value) =>
      select(collection, fromWhereColumnEquals(collection, collection.partition), [value]).map((text) =>
        toStored(text),
      ),
    find,
    count: (collection, filter) => {
      const { rows, values, left } = splitFind(collection, { filter });
      if (left) return find(collection, { filter }).length;
      return Number(ofCollection(collection, () => counting(rows)(...values))[0]);
    },
    ids: (collection, column, value) =>
      ofCollection(collection, () => idsOf(fromWhereColumnEquals(collection, column))(value)),
    scan: (collection, after, limit) => select(collection, fromWhereIdAfter(collection), [after, limit]),
  };
};

/** The same reads, each of the `SyncReadModels` that `of` finds for its collection. */
export const delegateSyncReadModels = (
  of: <T>(collection: Collection, read: (selects: SyncReadModels) => T) => T,
): SyncReadModels => ({
  get: (collection, id) => of(collection, (from) => from.get(collection, id)),
  inPartition: (collection, value) => of(collection, (from) => from.inPartition(collection, value)),
  find: (collection, find) => of(collection, (from) => from.find(collection, find)),
  count: (collection, filter) => of(collection, (from) => from.count(collection, filter)),
  ids: (collection, column, value) => of(collection, (from) => from.ids(collection, column, value)),
  scan: (collection, after, limit) => of(collection, (from) => from.scan(collection, after, limit)),
});

export const toAsyncReadModels = ({
  get,
  find,
  count,
}: Pick<SyncReadModels, 'get' | 'find' | 'count'>): ReadModels => ({
  get: (collection, id) => Promise.resolve(get(collection, id)),
  find: (collection, query) => Promise.resolve(find(collection, query)),
  count: (collection, filter) => Promise.resolve(count(collection, filter)),
});
