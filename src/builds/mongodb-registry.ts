import type { Db } from 'mongodb';
import { READ_TIMEOUT_MS } from '../read-models/mongodb/run-on-database.ts';
import { createMongoConnection, nullIfDuplicateKey } from '../read-models/mongodb/client.ts';
import type { EventPointer } from '../event-store/port.ts';
import { parseLogLoss, parseProjectionBuilds, toStoredRecord, type BuildRegistry, type LogLoss } from './registry.ts';

interface VersionedRecord {
  readonly _id: string;
  /** Grows with every change. */
  readonly revision: number;
  readonly entry: unknown;
}

interface FirstEventDocument extends EventPointer {
  readonly _id: 'first';
}

interface LogLossDocument extends LogLoss {
  readonly _id: 'lost';
}

const MAX_ATTEMPTS = 20;

/**
 * The build registry beside the read models in MongoDB, in the collection `catalogue`. The collection `log` has two
 * documents, since older code takes every document of `catalogue` for a projection's record: `first`, which event log
 * it is of, and `lost`, what was found missing from it.
 */
export const openMongoBuildRegistry = (url: string): BuildRegistry => {
  const { ask, close } = createMongoConnection(url);
  const recordsOf = (db: Db) => db.collection<VersionedRecord>('catalogue');
  const logOf = (db: Db) => db.collection<FirstEventDocument>('log');
  const lostOf = (db: Db) => db.collection<LogLossDocument>('log');

  /** False where another process was faster. */
  const replace = async (name: string, before: VersionedRecord | null, record: unknown): Promise<boolean> => {
    const revision = (before?.revision ?? 0) + 1;
    const seen = { _id: name, ...(before && { revision: before.revision }) };
    const change = before ? { $set: { revision, entry: record } } : { $setOnInsert: { revision, entry: record } };
    const result = await ask((db) => recordsOf(db).updateOne(seen, change, { upsert: !before })).catch(
      nullIfDuplicateKey,
    );
    return before ? result?.matchedCount === 1 : result?.upsertedCount === 1;
  };

  return {
    async all() {
      const all = await ask((db) => recordsOf(db).find().toArray(), READ_TIMEOUT_MS);
      return new Map(all.map(({ _id, entry: record }) => [_id, parseProjectionBuilds(record)]));
    },
    async change(name, act) {
      for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
        const before = await ask((db) => recordsOf(db).findOne({ _id: name }), READ_TIMEOUT_MS);
        const known = before ? parseProjectionBuilds(before.entry) : undefined;
        const after = act(known);
        if (after === known || (await replace(name, before, toStoredRecord(after)))) return after;
      }
      throw new Error(`Others keep changing the build registry of ${name}`);
    },
    async firstOfLog() {
      const found = await ask((db) => logOf(db).findOne({ _id: 'first' }));
      return found ? { position: found.position, id: found.id } : undefined;
    },
    async noteFirstEvent(first) {
      const key = { _id: 'first' } as const;
      if (!first) await ask((db) => logOf(db).deleteOne(key));
      else {
        const { position, id } = first;
        await ask((db) => logOf(db).updateOne(key, { $set: { position, id } }, { upsert: true }));
      }
    },
    async logLoss() {
      const found = await ask((db) => lostOf(db).findOne({ _id: 'lost' }, { projection: { _id: 0 } }));
      return found ? parseLogLoss(found) : undefined;
    },
    async noteLogLoss(lost) {
      await ask((db) => lostOf(db).replaceOne({ _id: 'lost' }, lost, { upsert: true }));
    },
    close,
  };
};
