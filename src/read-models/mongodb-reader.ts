import DataLoader from 'dataloader';
import type { Collection as MongoCollection, Db, MongoClient, WithId } from 'mongodb';
import { remembered } from '../remembered.ts';
import { answered } from './mongodb-answers.ts';
import { clientFor, connected } from './mongodb-client.ts';
import { pathOf, toMongoFilter, toSort, toStored, type Kept } from './mongodb-documents.ts';
import { leasesOf, projectionsOf, type LeaseRecord } from './mongodb-records.ts';
import { createSharedLimiter } from './mongodb-rate-limits.ts';
import type { ReadModelsReader } from './embedded-reader.ts';
import { NotBuilt, type Collection, type ReadModels, type ReadModelStore, type Stored } from './port.ts';

/** Less than half of the 10 s in which a request is answered. */
const READ_MS = 4_500;
/** One question asks for no more documents. */
const MAX_AT_ONCE = 1_000;

/** What the writer of the read models reads, and the readers as well. */
export const readModelsIn = (
  client: MongoClient,
): ReadModels & Required<Pick<ReadModelStore, 'ids' | 'getMany'>> => {
  const documentsOf = async ({ name }: Collection) => (await connected(client)).collection<Kept>(name);
  const getMany = async (collection: Collection, ids: readonly string[]): Promise<Stored<object>[]> => {
    const ask = async () => (await documentsOf(collection)).find({ _id: { $in: [...ids] } }).toArray();
    return (await answered(ask, READ_MS)).map((kept) => toStored(kept));
  };
  /** Asks once for all that are wanted in the same turn: a posting that closes has all its candidates look things up. */
  const loaderOf = remembered(
    (collection: Collection) =>
      new DataLoader<string, Stored<object> | undefined>(
        async (ids) => {
          const stored = new Map((await getMany(collection, ids)).map((each) => [each.id, each]));
          return ids.map((id) => stored.get(id));
        },
        { cache: false, maxBatchSize: MAX_AT_ONCE },
      ),
  );
  return {
    // What a collection holds was stored as its documents.
    get: <Doc extends object>(collection: Collection<Doc>, id: string) =>
      loaderOf(collection).load(id) as Promise<Stored<Doc> | undefined>,
    getMany,
    async find(collection, { filter, order, skip = 0, limit }) {
      if (limit === 0) return [];
      const wanted = toMongoFilter(collection, filter);
      const options = { sort: toSort(collection, order), skip, ...(limit !== undefined && { limit }) };
      const ask = async () => (await documentsOf(collection)).find(wanted, options).toArray();
      return (await answered(ask, READ_MS)).map((kept) => toStored(kept));
    },
    count(collection, filter) {
      const wanted = toMongoFilter(collection, filter);
      return answered(async () => (await documentsOf(collection)).countDocuments(wanted), READ_MS);
    },
    async ids(collection, column, value) {
      const wanted = { [pathOf(collection, column)]: value };
      const ask = async () =>
        (await documentsOf(collection)).find(wanted, { projection: { _id: 1 } }).toArray();
      return (await answered(ask)).map(({ _id }) => _id);
    },
  };
};

/** The reading half of the read models in MongoDB, and what requests share beside them. */
export const openMongoReader = (url: string): Omit<ReadModelsReader, 'changed'> => {
  const client = clientFor(url);
  const plain = readModelsIn(client);
  const database = () => connected(client);

  const all = <T extends object>(of: (db: Db) => MongoCollection<T>): Promise<WithId<T>[]> =>
    answered(
      async () =>
        of(await database())
          .find()
          .toArray(),
      READ_MS,
    );

  /**
   * Gives what was found, unless it is nothing and the collection is not built: MongoDB reads one that is not there as empty.
   * Asked afterwards, since a build that is dropped loses its record first.
   */
  const told = async <T>({ name }: Collection, found: T): Promise<T> => {
    if (found && (!Array.isArray(found) || found.length > 0)) return found;
    const built = { collections: name, 'checkpoint.isBuilt': true };
    const ask = async () => projectionsOf(await database()).findOne(built, { projection: { _id: 1 } });
    if (!(await answered(ask, READ_MS))) throw new NotBuilt(name);
    return found;
  };

  return {
    get: async (collection, id) => told(collection, await plain.get(collection, id)),
    find: async (collection, wanted) => told(collection, await plain.find(collection, wanted)),
    count: async (collection, filter) => told(collection, await plain.count(collection, filter)),
    async checkpoints() {
      const records = await all(projectionsOf);
      return new Map(records.flatMap(({ _id, checkpoint }) => (checkpoint ? [[_id, checkpoint]] : [])));
    },
    async leases() {
      const leases = await all(leasesOf);
      const toShown = ({ _id, holder, since }: LeaseRecord) =>
        [_id, { holder, since: since?.toISOString() ?? null }] as const;
      return new Map(leases.map(toShown));
    },
    createLimiter: (points, seconds) => createSharedLimiter(client.db(), points, seconds),
    close: () => client.close(),
  };
};
