import DataLoader from 'dataloader';
import type { MongoClient } from 'mongodb';
import { canonicalJson } from '../json.ts';
import { remembered } from '../remembered.ts';
import { clientFor, connected } from './mongodb-client.ts';
import { toMongoFilter, toSort, toStored, type Kept } from './mongodb-documents.ts';
import { ensureIndexes } from './mongodb-indexes.ts';
import { answered } from './mongodb-answers.ts';
import { createSharedLimiter } from './mongodb-rate-limits.ts';
import type { ReadModelsReader } from './embedded-reader.ts';
import { createLeases, projectionsOf, recordOf } from './mongodb-projections.ts';
import { writeGuarded } from './mongodb-writes.ts';
import {
  LeaseLost,
  type Collection,
  type ProjectionIdentity,
  type ReadModels,
  type ReadModelStore,
  type Stored,
} from './port.ts';

export interface MongoOptions {
  /** The driver's connection string, with the name of the database. */
  readonly url: string;
  /** Told of what an operator should look at. */
  readonly onWarning?: ((line: string) => void) | undefined;
}

/** Of the documents; another one needs a rebuild. */
const LAYOUT = 1;
/** Less than half of the 10 s in which a request is answered. */
const READ_MS = 4_500;
/** A collection that is dropped late takes with it what was stored since. */
const DROP_MS = 60_000;

const definitionOf = ({ version, collections }: ProjectionIdentity): string =>
  canonicalJson({ layout: LAYOUT, version, collections });

/** One question asks for no more documents. */
const MOST_AT_ONCE = 1_000;

const readModelsIn = (client: MongoClient): ReadModels => {
  const documentsOf = async ({ name }: Collection) => (await connected(client)).collection<Kept>(name);
  const getMany = async (collection: Collection, ids: readonly string[]): Promise<Stored<object>[]> => {
    const wanted = { _id: { $in: [...ids] }, deletedAt: { $exists: false } };
    const ask = async () => (await documentsOf(collection)).find(wanted).toArray();
    return (await answered(ask, READ_MS)).map((kept) => toStored(collection, kept));
  };
  /** Asks once for all that are wanted in the same turn: a posting that closes has all its candidates look things up. */
  const loaderOf = remembered(
    (collection: Collection) =>
      new DataLoader<string, Stored<object> | undefined>(
        async (ids) => {
          const stored = new Map((await getMany(collection, ids)).map((each) => [each.id, each]));
          return ids.map((id) => stored.get(id));
        },
        { cache: false, maxBatchSize: MOST_AT_ONCE },
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
      return (await answered(ask, READ_MS)).map((kept) => toStored(collection, kept));
    },
    count(collection, filter) {
      const wanted = toMongoFilter(collection, filter);
      return answered(async () => (await documentsOf(collection)).countDocuments(wanted), READ_MS);
    },
  };
};

/** The reading half of the read models in MongoDB, and what requests share beside them. */
export const openMongoReader = (url: string): Omit<ReadModelsReader, 'changed'> => {
  const client = clientFor(url);
  const records = () =>
    answered(
      async () =>
        projectionsOf(await connected(client))
          .find()
          .toArray(),
      READ_MS,
    );
  return {
    ...readModelsIn(client),
    async checkpoints() {
      const all = await records();
      return new Map(
        all.flatMap(({ _id, position }) => (position === null ? [] : [[_id, position] as const])),
      );
    },
    async leases() {
      const all = await records();
      return new Map(
        all.map(({ _id, holder, since }) => [_id, { holder, since: since?.toISOString() ?? null }] as const),
      );
    },
    createLimiter: (points, seconds) => createSharedLimiter(client.db(), points, seconds),
    close: () => client.close(),
  };
};

/** The read models in a MongoDB database, on a standalone server, a replica set or a sharded cluster. */
export const openMongoReadModels = ({ url, onWarning = () => undefined }: MongoOptions): ReadModelStore => {
  const client = clientFor(url);
  const database = () => connected(client);
  const records = async () => projectionsOf(await database());
  const { fenceOf, revoke, ...leases } = createLeases(records);

  const refuseOthers = async (name: string, fence: number): Promise<void> => {
    const ask = async () => (await records()).findOne({ _id: name, fence }, { projection: { _id: 1 } });
    if (!(await answered(ask))) throw new LeaseLost();
  };

  /** Changes the record of a projection, unless another has its lease. */
  const update = async (name: string, fence: number, change: object): Promise<void> => {
    const ask = async () => (await records()).updateOne({ _id: name, fence }, { $set: change });
    if ((await answered(ask)).matchedCount === 0) throw new LeaseLost();
  };

  const ensure = async (collections: readonly Collection[]): Promise<void> => {
    const db = await database();
    for (const collection of collections)
      for (const line of await ensureIndexes(db, collection)) onWarning(line);
  };

  const reset = async (projection: ProjectionIdentity): Promise<void> => {
    const { name } = projection;
    // One lease for all of it, even where it is lost and taken again meanwhile.
    const fence = fenceOf(name);
    const names = projection.collections.map((collection) => collection.name);
    // What is left of an interrupted reset must not look like a finished projection.
    await update(name, fence, { position: null, log: null });
    const db = await database();
    const { collections } = await recordOf(projectionsOf(db), name);
    try {
      for (const each of new Set([...collections, ...names]))
        await answered(() => db.dropCollection(each), DROP_MS);
      await update(name, fence, { definition: definitionOf(projection), collections: names });
    } catch (error) {
      // Unlike a document, a collection is dropped whoever has the lease by then.
      await revoke(name, fence);
      throw error;
    }
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
    async commit({ name, collections }, writes, checkpoint) {
      const fence = fenceOf(name);
      const db = await database();
      // A checkpoint alone has this condition itself.
      if (writes.length > 0) await refuseOthers(name, fence);
      for (const collection of collections) {
        const own = writes.filter((write) => write.collection.name === collection.name);
        if (own.length > 0) await writeGuarded(db.collection<Kept>(collection.name), own, fence);
      }
      if (checkpoint) await update(name, fence, { position: checkpoint.position, log: checkpoint.log });
    },
    flush: () => Promise.resolve(),
    async checkpointOf(name) {
      const record = await answered(async () => (await records()).findOne({ _id: name }));
      return record?.position ?? undefined;
    },
    async scan({ name }, after, limit) {
      const wanted = { _id: { $gt: after }, deletedAt: { $exists: false } };
      const found = await answered(async () =>
        (await database())
          .collection<Kept>(name)
          .find(wanted, { sort: { _id: 1 }, limit })
          .toArray(),
      );
      return found.map(({ _id, position, doc }) => ({ id: _id, position, text: JSON.stringify(doc) }));
    },
    async drop(name) {
      const db = await database();
      const record = await answered(async () => (await records()).findOne({ _id: name }));
      for (const each of record?.collections ?? []) await answered(() => db.dropCollection(each), DROP_MS);
      await answered(async () => (await records()).deleteOne({ _id: name }));
    },
    close: () => client.close(),
  };
};
