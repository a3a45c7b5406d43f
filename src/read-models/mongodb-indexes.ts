import type { Db, IndexDescription } from 'mongodb';
import { answered } from './mongodb-answers.ts';
import { pathOf } from './mongodb-documents.ts';
import type { Collection } from './port.ts';

/** How long a deleted document's position is kept: longer than any batch is under way. */
const TOMBSTONE_SECONDS = 86_400;

/** Of a collection that is not empty. Whoever asks for an index again while it is made waits for the same one. */
const INDEX_MS = 600_000;

const TOMBSTONES: IndexDescription = {
  key: { deletedAt: 1 },
  name: 'deletedAt',
  expireAfterSeconds: TOMBSTONE_SECONDS,
  partialFilterExpression: { deletedAt: { $exists: true } },
};

const descriptionOf = (collection: Collection, columns: readonly string[]): IndexDescription => {
  const paths = columns.map((column) => pathOf(collection, column));
  return { key: new Map(paths.map((path) => [path, 1])), name: paths.join(',') };
};

const keyText = (key: IndexDescription['key']): string =>
  JSON.stringify(key instanceof Map ? [...key] : Object.entries(key));

/**
 * Makes the indexes of a collection that are missing.
 *
 * @returns a line for each index that is there and is not what is declared; these are left to the operator
 */
export const ensureIndexes = async (db: Db, declaration: Collection): Promise<string[]> => {
  const { name, indexes } = declaration;
  const declared = [...indexes.map((columns) => descriptionOf(declaration, columns)), TOMBSTONES];
  const collection = db.collection(name);
  const [exists] = await answered(() => db.listCollections({ name }, { nameOnly: true }).toArray());
  const there = exists ? await answered(() => collection.indexes()) : [];
  const missing = declared.filter((index) => there.every((each) => each.name !== index.name));
  if (missing.length > 0) await answered(() => collection.createIndexes(missing), INDEX_MS);
  return there.flatMap(({ name: index = '', key }) => {
    if (index === '_id_') return [];
    const wanted = declared.find((each) => each.name === index);
    if (!wanted) return [`The index ${index} of ${name} is not declared`];
    const [is, should] = [keyText(key), keyText(wanted.key)];
    return is === should ? [] : [`The index ${index} of ${name} is ${is}; declared is ${should}`];
  });
};
