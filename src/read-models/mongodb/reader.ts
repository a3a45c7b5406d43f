import DataLoader from 'dataloader';
import type { Db, Filter, FindOptions } from 'mongodb';
import { memoizeByIdentity } from '../../lib/memoize-by-identity.ts';
import { READ_TIMEOUT_MS, type RunOnDatabase } from './run-on-database.ts';
import { createMongoConnection } from './client.ts';
import {
  memberPathOf,
  textSearchMembersOf,
  toMongoFilter,
  toSort,
  fromMongoDocument,
  type MongoDocument,
} from './documents.ts';
import { leaseRecordsCollection, projectionRecordsCollection } from './records.ts';
import { createSharedLimiter } from './rate-limits.ts';
import type { ReadModelsReader } from '../embedded/reader.ts';
import {
  NotBuiltError,
  type Collection,
  type FindQuery,
  type ReadModels,
  type ReadModelStore,
  type StoredDocument,
} from '../port.ts';
import { conditionsOf, matcher } from '../in-memory-query.ts';

/** Documents asked for in one query. */
const MAX_AT_ONCE = 1_000;

/** The reads that the writer of the read models shares with their readers. */
export const createMongoReads = (ask: RunOnDatabase): ReadModels & Pick<ReadModelStore, 'ids'> => {
  const documentsOf = (db: Db, { name }: Collection) => db.collection<MongoDocument>(name);
  const found = async <Doc extends object>(of: Collection<Doc>, query: Filter<MongoDocument>, options?: FindOptions) =>
    (await ask((db) => documentsOf(db, of).find(query, options).toArray(), READ_TIMEOUT_MS)).map(
      fromMongoDocument<Doc>,
    );
  /** Gathers the ids asked for in one turn of the event loop: closing a posting looks up all its candidates. */
  const loaderOf = memoizeByIdentity(
    (collection: Collection) =>
      new DataLoader<string, StoredDocument<object> | undefined>(
        async (ids) => {
          const stored = new Map((await found(collection, { _id: { $in: [...ids] } })).map((each) => [each.id, each]));
          return ids.map((id) => stored.get(id));
        },
        { cache: false, maxBatchSize: MAX_AT_ONCE },
      ),
  );
  /** The ids of all documents that a search finds, in order: texts are compared here, as in every store. */
  const idsFound = async <Doc extends object>(
    collection: Collection<Doc>,
    searched: readonly string[],
    { filter, order }: FindQuery<Doc>,
  ): Promise<string[]> => {
    const projection = Object.fromEntries(searched.map((member) => [`doc.${member}`, 1]));
    const options = { sort: toSort(collection, order), projection };
    const all = await found(collection, toMongoFilter(collection, filter), options);
    const matches = matcher(Object.fromEntries(conditionsOf(filter).filter(([member]) => searched.includes(member))));
    return all.filter(matches).map(({ id }) => id);
  };
  // A collection holds documents of its own type.
  const get = <Doc extends object>(collection: Collection<Doc>, id: string) =>
    loaderOf(collection).load(id) as Promise<StoredDocument<Doc> | undefined>;
  return {
    get,
    async find(collection, { filter, order, skip = 0, limit }) {
      if (limit === 0) return [];
      const searched = textSearchMembersOf(filter);
      if (searched.length > 0) {
        const ids = await idsFound(collection, searched, { filter, ...(order && { order }) });
        const page = ids.slice(skip, limit === undefined ? undefined : skip + limit);
        const documents = await Promise.all(page.map((id) => get(collection, id)));
        return documents.filter((document) => document !== undefined);
      }
      const options = { sort: toSort(collection, order), skip, ...(limit !== undefined && { limit }) };
      return found(collection, toMongoFilter(collection, filter), options);
    },
    async count(collection, filter) {
      const searched = textSearchMembersOf(filter);
      if (searched.length > 0) return (await idsFound(collection, searched, { filter })).length;
      const query = toMongoFilter(collection, filter);
      return ask((db) => documentsOf(db, collection).countDocuments(query), READ_TIMEOUT_MS);
    },
    async ids(collection, column, value) {
      const query = { [memberPathOf(collection, column)]: value };
      const ids = { projection: { _id: 1 } };
      return (await ask((db) => documentsOf(db, collection).find(query, ids).toArray())).map(({ _id }) => _id);
    },
  };
};

/** The reading half of the read models in MongoDB, and the rate limits that instances share. */
export const openMongoReadModelsReader = (url: string): Omit<ReadModelsReader, 'refresh'> => {
  const connection = createMongoConnection(url);
  const { ask, close } = connection;
  const plain = createMongoReads(ask);

  /**
   * Refuses an empty result of a collection that is not built: MongoDB reads a missing one as empty. Checked after the
   * read, since dropping a build clears its record first.
   *
   * @throws NotBuiltError
   */
  const unlessNotBuilt = async <T>({ name }: Collection, found: T): Promise<T> => {
    if (found && (!Array.isArray(found) || found.length > 0)) return found;
    const built = { collections: name, 'checkpoint.isBuilt': true };
    if (!(await ask((db) => projectionRecordsCollection(db).findOne(built), READ_TIMEOUT_MS)))
      throw new NotBuiltError(name);
    return found;
  };

  return {
    get: async (collection, id) => unlessNotBuilt(collection, await plain.get(collection, id)),
    find: async (collection, query) => unlessNotBuilt(collection, await plain.find(collection, query)),
    count: async (collection, filter) => unlessNotBuilt(collection, await plain.count(collection, filter)),
    async checkpoints() {
      const records = await ask((db) => projectionRecordsCollection(db).find().toArray(), READ_TIMEOUT_MS);
      return new Map(records.flatMap(({ _id, checkpoint }) => (checkpoint ? [[_id, checkpoint]] : [])));
    },
    async leases() {
      const leases = await ask((db) => leaseRecordsCollection(db).find().toArray(), READ_TIMEOUT_MS);
      return new Map(leases.map(({ _id, holder, since }) => [_id, { holder, since: since?.toISOString() ?? null }]));
    },
    createLimiter: (points, seconds) => createSharedLimiter(connection, points, seconds),
    close,
  };
};
