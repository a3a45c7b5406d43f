import { MongoBulkWriteError, type AnyBulkWriteOperation, type Collection as MongoCollection } from 'mongodb';
import { answered } from './mongodb-answers.ts';
import { DUPLICATE_KEY } from './mongodb-client.ts';
import type { Kept } from './mongodb-documents.ts';
import { LeaseLost, type Write } from './port.ts';

const MOST_AT_ONCE = 1_000;
const MOST_ATTEMPTS = 10;

/** What the document is sharded by: an upsert must name it. */
const shardKeyOf = ({ collection, doc, partition }: Write): { readonly partition?: string } => {
  if (collection.partition === 'id') return {};
  const value = doc ? (doc as Readonly<Record<string, unknown>>)[collection.partition] : partition;
  return typeof value === 'string' ? { partition: value } : {};
};

/**
 * Replaces only what is no newer, by position and by lease; what is newer makes the upsert fail as a duplicate. So does
 * an insert, which costs less.
 */
const operationOf = (write: Write, fence: number): AnyBulkWriteOperation<Kept> => {
  const { id, doc, position, collection, isNew } = write;
  const shardKey = shardKeyOf(write);
  if (doc && isNew) return { insertOne: { document: { _id: id, ...shardKey, position, fence, doc } } };
  const filter = { _id: id, ...shardKey, position: { $lte: position }, fence: { $lte: fence } };
  if (doc)
    return { replaceOne: { filter, replacement: { ...shardKey, position, fence, doc }, upsert: true } };
  const deletedAt = new Date();
  if (collection.partition === 'id' || shardKey.partition !== undefined)
    return { replaceOne: { filter, replacement: { ...shardKey, position, fence, deletedAt }, upsert: true } };
  // Nobody has seen the document: if there is one, it is found wherever it is.
  return { updateMany: { filter, update: { $set: { position, fence, deletedAt }, $unset: { doc: '' } } } };
};

/** Writes what can be written; gives the writes that met a document. */
const attempt = async (
  collection: MongoCollection<Kept>,
  writes: readonly Write[],
  fence: number,
): Promise<readonly Write[]> => {
  try {
    await answered(() =>
      collection.bulkWrite(
        writes.map((write) => operationOf(write, fence)),
        { ordered: false },
      ),
    );
    return [];
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error;
    const failures = [error.writeErrors].flat();
    if (failures.length === 0 || failures.some(({ code }) => code !== DUPLICATE_KEY)) throw error;
    return failures.flatMap(({ index }) => writes[index] ?? []);
  }
};

/**
 * Stores documents, none of which goes back in position.
 *
 * A duplicate key means that a newer document is there, which is as it should be, or that two writers met at the first
 * insert, when the newer of them may be the one refused: what is stored tells which.
 *
 * @throws LeaseLost when a document was written under a newer lease
 */
export const writeGuarded = async (
  collection: MongoCollection<Kept>,
  writes: readonly Write[],
  fence: number,
): Promise<void> => {
  const parts: (readonly Write[])[] = [];
  for (let start = 0; start < writes.length; start += MOST_AT_ONCE)
    parts.push(writes.slice(start, start + MOST_AT_ONCE));
  await Promise.all(parts.map((part) => writePart(collection, part, fence)));
};

const writePart = async (
  collection: MongoCollection<Kept>,
  writes: readonly Write[],
  fence: number,
): Promise<void> => {
  let left = await attempt(collection, writes, fence);
  for (let tries = 1; left.length > 0; tries++) {
    if (tries > MOST_ATTEMPTS) throw new Error('Another writer keeps being faster');
    const ids = left.map(({ id }) => id);
    const found = collection.find({ _id: { $in: ids } }, { projection: { doc: 0 } });
    const stored = await answered(() => found.toArray());
    if (stored.some((each) => each.fence > fence)) throw new LeaseLost();
    const positions = new Map(stored.map(({ _id, position }) => [_id, position]));
    const older = left.filter(({ id, position }) => (positions.get(id) ?? '') <= position);
    const known = older.map((write) => ({ ...write, isNew: false }));
    left = known.length === 0 ? [] : await attempt(collection, known, fence);
  }
};
