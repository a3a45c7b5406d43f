import { MongoClient, type Db } from 'mongodb';
import { canonicalJson } from '../json.ts';
import { toMongoFilter, toSort, toStored, type Kept } from './mongodb-documents.ts';
import { ensureIndexes } from './mongodb-indexes.ts';
import { createSharedLimiter, ensureRateLimitIndexes } from './mongodb-rate-limits.ts';
import type { ReadModelsReader } from './embedded-reader.ts';
import { createLeases, projectionsOf, recordOf } from './mongodb-projections.ts';
import { writeGuarded } from './mongodb-writes.ts';
import {
  LeaseLost,
  type Collection,
  type ProjectionIdentity,
  type ReadModels,
  type ReadModelStore,
} from './port.ts';

export interface MongoOptions {
  /** The driver's connection string, with the name of the database. */
  readonly url: string;
  /** Told of what an operator should look at. */
  readonly onWarning?: ((line: string) => void) | undefined;
}

/** Of the documents; another one needs a rebuild. */
const LAYOUT = 1;
const SERVER_SELECTION_MS = 4_000;

const definitionOf = ({ version, collections }: ProjectionIdentity): string =>
  canonicalJson({ layout: LAYOUT, version, collections });

const clientFor = (url: string): MongoClient =>
  new MongoClient(url, {
    writeConcern: { w: 'majority' },
    // A reader must see what a checkpoint says.
    readPreference: 'primary',
    ignoreUndefined: true,
    serverSelectionTimeoutMS: SERVER_SELECTION_MS,
    appName: 'hiring',
  });

/** A client whose first connection has failed stays closed until it is told to connect; one that is connected stays so. */
const connected = async (client: MongoClient): Promise<Db> => (await client.connect()).db();

const readModelsIn = (client: MongoClient): ReadModels => {
  const documentsOf = async ({ name }: Collection) => (await connected(client)).collection<Kept>(name);
  return {
    async get(collection, id) {
      const kept = await (await documentsOf(collection)).findOne({ _id: id });
      return kept?.doc ? toStored(collection, kept) : undefined;
    },
    async find(collection, { filter, order, skip = 0, limit }) {
      if (limit === 0) return [];
      const found = (await documentsOf(collection)).find(toMongoFilter(collection, filter), {
        sort: toSort(collection, order),
        skip,
        ...(limit !== undefined && { limit }),
      });
      return (await found.toArray()).map((kept) => toStored(collection, kept));
    },
    count: async (collection, filter) =>
      (await documentsOf(collection)).countDocuments(toMongoFilter(collection, filter)),
  };
};

/** The reading half of the read models in MongoDB, and what requests share beside them. */
export const openMongoReader = (url: string): Omit<ReadModelsReader, 'changed'> => {
  const client = clientFor(url);
  return {
    ...readModelsIn(client),
    createLimiter: (points, seconds) => createSharedLimiter(client.db(), points, seconds),
    close: () => client.close(),
  };
};

/** The read models in a MongoDB database, on a standalone server, a replica set or a sharded cluster. */
export const openMongoReadModels = ({ url, onWarning = () => undefined }: MongoOptions): ReadModelStore => {
  const client = clientFor(url);
  const database = () => connected(client);
  const records = async () => projectionsOf(await database());
  const { fenceOf, ...leases } = createLeases(records);

  const refuseOthers = async ({ name }: ProjectionIdentity): Promise<void> => {
    const own = { _id: name, fence: fenceOf(name) };
    if (!(await (await records()).findOne(own, { projection: { _id: 1 } }))) throw new LeaseLost();
  };

  /** Changes the record of a projection, unless another has its lease. */
  const update = async ({ name }: ProjectionIdentity, change: object): Promise<void> => {
    const own = { _id: name, fence: fenceOf(name) };
    const { matchedCount } = await (await records()).updateOne(own, { $set: change });
    if (matchedCount === 0) throw new LeaseLost();
  };

  const ensure = async (collections: readonly Collection[]): Promise<void> => {
    const db = await database();
    for (const collection of collections)
      for (const line of await ensureIndexes(db, collection)) onWarning(line);
    await ensureRateLimitIndexes(db);
  };

  const reset = async (projection: ProjectionIdentity): Promise<void> => {
    await refuseOthers(projection);
    const names = projection.collections.map(({ name }) => name);
    // What is left of an interrupted reset must not look like a finished projection.
    await update(projection, { position: null, log: null });
    const db = await database();
    const { collections } = await recordOf(projectionsOf(db), projection.name);
    for (const name of new Set([...collections, ...names])) await db.dropCollection(name);
    await update(projection, { definition: definitionOf(projection), collections: names });
    await ensure(projection.collections);
  };

  return {
    ...readModelsIn(client),
    leases,
    async prepare(projection) {
      const { definition, position, log } = await recordOf(await records(), projection.name);
      if (definition !== definitionOf(projection) || position === null || log === null) {
        await reset(projection);
        return undefined;
      }
      await ensure(projection.collections);
      return { position, log };
    },
    reset,
    async commit(projection, writes, checkpoint) {
      await refuseOthers(projection);
      const db = await database();
      for (const collection of projection.collections) {
        const own = writes.filter((write) => write.collection.name === collection.name);
        if (own.length > 0)
          await writeGuarded(db.collection<Kept>(collection.name), own, fenceOf(projection.name));
      }
      if (checkpoint) await update(projection, { position: checkpoint.position, log: checkpoint.log });
    },
    flush: () => Promise.resolve(),
    close: () => client.close(),
  };
};
