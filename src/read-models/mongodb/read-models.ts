import type { ClientSession, Db } from 'mongodb';
import { toInsertWrites } from '../columns.ts';
import { createMongoConnection, refuseStandalone } from './client.ts';
import type { MongoDocument } from './documents.ts';
import { ensureCollection } from './indexes.ts';
import { createLeases } from './leases.ts';
import { createMongoReads } from './reader.ts';
import { projectionRecordsCollection, type ProjectionRecord } from './records.ts';
import { rethrowDuplicateInsert, writeDocuments } from './writes.ts';
import {
  definitionTextOf,
  LeaseLostError,
  type Collection,
  type NewDocumentRows,
  type ProjectionIdentity,
  type ReadModelStore,
} from '../port.ts';

interface MongoOptions {
  /** The driver's connection string, with the name of the database. */
  readonly url: string;
  /** Told of what an operator should look at. */
  readonly onWarning?: ((line: string) => void) | undefined;
}

/** Version of the documents; a change needs a rebuild. */
const LAYOUT = 3;
/** Longer than any transaction takes; MongoDB aborts one after a minute. */
const COMMIT_MS = 30_000;
/** Of a collection with all its documents. */
const DROP_MS = 60_000;
/** Documents deleted in one transaction. */
const MAX_DELETED = 2_000;
/** Documents inserted in one transaction, which ends within a second or two. */
const MAX_INSERTED = 4_000;

const documentsOf = (db: Db, collection: string) => db.collection<MongoDocument>(collection);

/** The writer of a projection: its transactions come one after another, each naming the revision of the last. */
interface Writer {
  readonly session: ClientSession;
  readonly revision: number;
}

/** The read models in a MongoDB database, on a replica set or a sharded cluster. */
export const openMongoReadModels = ({ url, onWarning = () => undefined }: MongoOptions): ReadModelStore => {
  const { client, ask, close } = createMongoConnection(url);
  const { begin, ...leases } = createLeases(ask);
  const writers = new Map<string, Writer>();
  const sessions = new Map<string, ClientSession>();
  /** Documents that the next commit inserts, by projection. */
  const inserted = new Map<string, NewDocumentRows[]>();
  const recordOf = (name: string) => ask((db) => projectionRecordsCollection(db).findOne({ _id: name }));

  /**
   * Runs a transaction. After a failure its outcome is not known, so this writer ends.
   *
   * @throws LeaseLostError when another writer has begun, or this one has ended
   */
  const transact = async (
    name: string,
    change: Partial<ProjectionRecord>,
    act: (db: Db, session: ClientSession) => Promise<unknown> = () => Promise.resolve(),
  ): Promise<void> => {
    const writer = writers.get(name);
    if (!writer) throw new LeaseLostError();
    writers.delete(name);
    const { session, revision } = writer;
    const body = async (db: Db) => {
      const next = { $set: { ...change, revision: revision + 1 } };
      const mine = { _id: name, revision };
      const { matchedCount } = await projectionRecordsCollection(db).updateOne(mine, next, { session });
      if (matchedCount === 0) throw new LeaseLostError();
      await act(db, session);
    };
    const options = { readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority' } } as const;
    await ask((db) => session.withTransaction(() => body(db), options), COMMIT_MS);
    writers.set(name, { session, revision: revision + 1 });
  };

  /** When it resolves, every earlier transaction has ended or can no longer commit. */
  const becomeWriter = async (name: string): Promise<ProjectionRecord> => {
    writers.delete(name);
    inserted.delete(name);
    // A commit still retried under the old session gives up.
    void sessions
      .get(name)
      ?.endSession()
      .catch(() => undefined);
    const session = client.startSession();
    sessions.set(name, session);
    await begin(name, session);
    const next = { $inc: { revision: 1 }, $setOnInsert: { definition: null, collections: [], checkpoint: null } };
    const options = { upsert: true, returnDocument: 'after' } as const;
    const record = await ask((db) => projectionRecordsCollection(db).findOneAndUpdate({ _id: name }, next, options));
    if (!record) throw new Error(`The projection ${name} has no record`);
    writers.set(name, { session, revision: record.revision });
    return record;
  };

  const ensure = async (collections: readonly Collection[]): Promise<void> => {
    for (const collection of collections) for (const line of await ensureCollection(ask, collection)) onWarning(line);
  };

  /** In fenced transactions: MongoDB may carry out a drop after another instance has begun to write. */
  const empty = async (name: string, collection: string): Promise<void> => {
    for (;;) {
      const some = { projection: { _id: 1 }, limit: MAX_DELETED } as const;
      const ids = (await ask((db) => documentsOf(db, collection).find({}, some).toArray())).map(({ _id }) => _id);
      if (ids.length === 0) return;
      await transact(name, {}, (db, session) =>
        documentsOf(db, collection).deleteMany({ _id: { $in: ids } }, { session }),
      );
    }
  };

  const reset = async (projection: ProjectionIdentity): Promise<void> => {
    const { name } = projection;
    const collections = projection.collections.map((collection) => collection.name);
    const record = await recordOf(name);
    // The remains of an interrupted reset must not look like a complete projection.
    await transact(name, { definition: null, checkpoint: null });
    for (const each of new Set([...(record?.collections ?? []), ...collections])) await empty(name, each);
    await ensure(projection.collections);
    await transact(name, { definition: definitionTextOf(LAYOUT, projection), collections });
  };

  return {
    ...createMongoReads(ask),
    leases,
    async prepare(projection) {
      await refuseStandalone(ask);
      const { definition, checkpoint } = await becomeWriter(projection.name);
      if (definition !== definitionTextOf(LAYOUT, projection) || !checkpoint) {
        await reset(projection);
        return undefined;
      }
      await ensure(projection.collections);
      return checkpoint;
    },
    reset,
    maxInserted: MAX_INSERTED,
    insert({ name }, documents) {
      inserted.set(name, [...(inserted.get(name) ?? []), ...documents]);
      return Promise.resolve();
    },
    async commit({ name, collections }, writes, checkpoint) {
      const own = collections.flatMap((each) => toInsertWrites(each, inserted.get(name) ?? []));
      await transact(name, { checkpoint }, async (db, session) => {
        await writeDocuments(db, collections, own, session).catch(rethrowDuplicateInsert);
        await writeDocuments(db, collections, writes, session);
      });
      inserted.delete(name);
    },
    checkpointOf: async (name) => (await recordOf(name))?.checkpoint ?? undefined,
    async scan({ name }, after, limit) {
      const [next, options] = [{ _id: { $gt: after } }, { sort: { _id: 1 }, limit }] as const;
      const found = await ask((db) => documentsOf(db, name).find(next, options).toArray());
      return found.map(({ _id, doc }) => ({ id: _id, text: JSON.stringify(doc) }));
    },
    async drop(name) {
      const record = await recordOf(name);
      if (!record) return;
      // First: a query that reads an emptied collection then learns that it is not built, and a remaining writer is
      // refused.
      const gone = { $set: { definition: null, checkpoint: null }, $inc: { revision: 1 } };
      await ask((db) => projectionRecordsCollection(db).updateOne({ _id: name }, gone));
      for (const each of record.collections) await ask((db) => db.dropCollection(each), DROP_MS);
      // Last: if this process is killed before, the record tells what is left to drop.
      await ask((db) => projectionRecordsCollection(db).deleteOne({ _id: name }));
    },
    close,
  };
};
