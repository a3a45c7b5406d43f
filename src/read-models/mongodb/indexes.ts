import type { IndexDescription } from 'mongodb';
import type { RunOnDatabase } from './run-on-database.ts';
import { memberPathOf } from './documents.ts';
import type { Collection } from '../port.ts';

/** Of a collection with documents. A client that asks again for an index being made waits for the same one. */
const INDEX_MS = 600_000;

const descriptionOf = (collection: Collection, columns: readonly string[]): IndexDescription => {
  const paths = columns.map((column) => memberPathOf(collection, column));
  return { key: new Map(paths.map((path) => [path, 1])), name: paths.join(',') };
};

/** An index as it is compared: MongoDB has one index per key, whatever its name. */
const keyText = ({ key }: Pick<IndexDescription, 'key'>): string =>
  JSON.stringify(key instanceof Map ? [...key] : Object.entries(key));

const inWords = (index: Pick<IndexDescription, 'key' | 'expireAfterSeconds'>): string =>
  index.expireAfterSeconds === undefined
    ? keyText(index)
    : `${keyText(index)}, expiring after ${index.expireAfterSeconds} s`;

/**
 * Makes a missing collection, since a transaction on a sharded cluster makes none, and its indexes.
 *
 * @returns a line for each index that differs from the declaration, for the operator to decide on
 */
export const ensureCollection = async (ask: RunOnDatabase, declaration: Collection): Promise<string[]> => {
  const { name, indexes } = declaration;
  const declared = indexes.map((columns) => descriptionOf(declaration, columns));
  const [exists] = await ask((db) => db.listCollections({ name }, { nameOnly: true }).toArray());
  if (!exists) await ask((db) => db.createCollection(name));
  const there = await ask((db) => db.collection(name).indexes());
  const missing = declared.filter((index) =>
    there.every((each) => each.name !== index.name && keyText(each) !== keyText(index)),
  );
  if (missing.length > 0) await ask((db) => db.collection(name).createIndexes(missing), INDEX_MS);
  return there.flatMap((index) => {
    if (index.name === '_id_') return [];
    const expected =
      declared.find((each) => each.name === index.name) ?? declared.find((each) => keyText(each) === keyText(index));
    if (!expected) return [`The index ${index.name} of ${name} is not declared`];
    const [is, should] = [inWords(index), inWords(expected)];
    return is === should ? [] : [`The index ${index.name} of ${name} is ${is}; declared is ${should}`];
  });
};
