import type { AnyBulkWriteOperation, ClientSession, Db } from 'mongodb';
import { isDuplicateKeyError } from './client.ts';
import type { MongoDocument } from './documents.ts';
import { DuplicateInsertError, type Collection, type DocumentWrite } from '../port.ts';
import { partitionOf } from '../columns.ts';

/** The shard key, which an upsert must name; left out where that is the id. */
const shardKeyOf = (write: DocumentWrite): { readonly partition?: string } => {
  const partition = write.collection.partition === 'id' ? undefined : partitionOf(write);
  return partition === undefined ? {} : { partition };
};

const operationOf = (write: DocumentWrite): AnyBulkWriteOperation<MongoDocument> => {
  const { id, doc, isNew } = write;
  const shardKey = shardKeyOf(write);
  if (!doc) return { deleteOne: { filter: { _id: id, ...shardKey } } };
  if (isNew) return { insertOne: { document: { _id: id, ...shardKey, doc } } };
  return { replaceOne: { filter: { _id: id, ...shardKey }, replacement: { ...shardKey, doc }, upsert: true } };
};

/** Operations by kind, each of which is one command; their order is free, since a commit names no document twice. */
const byKind = (operations: readonly AnyBulkWriteOperation<MongoDocument>[]): AnyBulkWriteOperation<MongoDocument>[] =>
  ['deleteOne', 'insertOne', 'replaceOne'].flatMap((kind) => operations.filter((each) => kind in each));

/** Stores the documents of some collections within a transaction. */
export const writeDocuments = async (
  db: Db,
  collections: readonly Collection[],
  writes: readonly DocumentWrite[],
  session: ClientSession,
): Promise<void> => {
  for (const { name } of collections) {
    const own = writes.filter((write) => write.collection.name === name);
    if (own.length === 0) continue;
    // In order: operations after a failure would fail with an error that has the driver retry the transaction.
    const options = { ordered: true, session };
    await db.collection<MongoDocument>(name).bulkWrite(byKind(own.map(operationOf)), options);
  }
};

/** @throws DuplicateInsertError for the server's error about a duplicate key; otherwise the error itself */
export const rethrowDuplicateInsert = (error: unknown): never => {
  throw isDuplicateKeyError(error) ? new DuplicateInsertError(error) : error;
};
