import type { MemoryDocuments } from '../../projector/memory-documents.ts';
import type { Collection, Condition, Filter, ReadModels, Stored } from '../../read-models/port.ts';
import { comparer, matcher } from '../../read-models/sift.ts';

/** The documents of a collection among which those are that a filter finds. */
type Candidates = <Doc extends object>(collection: Collection<Doc>, filter: Filter<Doc>) => Stored<Doc>[];

const reading = (get: MemoryDocuments['get'], candidates: Candidates): ReadModels => {
  const found = <Doc extends object>(collection: Collection<Doc>, filter: Filter<Doc>): Stored<Doc>[] =>
    candidates(collection, filter).filter(matcher(filter));
  return {
    get(collection, id) {
      const doc = get(collection, id);
      return Promise.resolve(doc && { id, doc });
    },
    find(collection, { filter, order = [], skip = 0, limit = Infinity }) {
      const sorted = found(collection, filter).sort(comparer(order));
      return Promise.resolve(sorted.slice(skip, skip + limit));
    },
    count: (collection, filter) => Promise.resolve(found(collection, filter).length),
  };
};

/** Lets queries read documents in memory. A filter must name a text in some column, as every query's does. */
export const readsOf = (documents: MemoryDocuments): ReadModels => {
  const get: MemoryDocuments['get'] = (collection, id) => documents.get(collection, id);
  return reading(get, (collection, filter) => {
    const texts = Object.entries<Condition | undefined>(filter).flatMap(([name, condition]) =>
      typeof condition === 'string' ? [{ name, value: condition }] : [],
    );
    const [column] = texts;
    if (!column) throw new Error(`A query of ${collection.name} names no partition`);
    return documents.ids(collection, column.name, column.value).flatMap((id) => {
      const doc = get(collection, id);
      return doc ? [{ id, doc }] : [];
    });
  });
};

/** The same, as if one document of a collection were all that it holds. */
export const readsOfOne = (documents: MemoryDocuments, rows: Collection, row: Stored<object>): ReadModels => {
  const isRows = (collection: Collection) => collection.name === rows.name;
  const get: MemoryDocuments['get'] = <Doc extends object>(collection: Collection<Doc>, id: string) => {
    if (!isRows(collection)) return documents.get(collection, id);
    // The row is a document of this collection.
    return id === row.id ? (row.doc as Doc) : undefined;
  };
  return reading(get, <Doc extends object>(collection: Collection<Doc>) => {
    const doc = isRows(collection) ? get(collection, row.id) : undefined;
    return doc ? [{ id: row.id, doc }] : [];
  });
};
