import type { DocumentUnitOfWork } from '../../projector/document-unit-of-work.ts';
import type { Collection, Condition, Filter, ReadModels, StoredDocument } from '../../read-models/port.ts';
import { comparer, matcher } from '../../read-models/in-memory-query.ts';

type InMemory = Pick<DocumentUnitOfWork, 'get' | 'ids'>;

/** Lets queries read documents in memory. A filter must name a text in some column, as every query's does. */
export const createInMemoryReadModels = (documents: InMemory): ReadModels => {
  const found = <Doc extends object>(collection: Collection<Doc>, filter: Filter<Doc>): StoredDocument<Doc>[] => {
    const [column] = Object.entries<Condition | undefined>(filter).flatMap(([name, value]) =>
      typeof value === 'string' ? [{ name, value }] : [],
    );
    if (!column) throw new Error(`A query of ${collection.name} names no partition`);
    const some = documents.ids(collection, column.name, column.value).flatMap((id): StoredDocument<Doc>[] => {
      const doc = documents.get(collection, id);
      return doc ? [{ id, doc }] : [];
    });
    return some.filter(matcher(filter));
  };
  return {
    get(collection, id) {
      const doc = documents.get(collection, id);
      return Promise.resolve(doc && { id, doc });
    },
    find(collection, { filter, order = [], skip = 0, limit = Infinity }) {
      const sorted = found(collection, filter).sort(comparer(order));
      return Promise.resolve(sorted.slice(skip, skip + limit));
    },
    count: (collection, filter) => Promise.resolve(found(collection, filter).length),
  };
};

const noDocuments: InMemory = { get: () => undefined, ids: () => [] };

/** The same, as if one document of a collection were all that it holds. */
export const createSingleRowReadModels = (
  rows: Collection,
  row: StoredDocument<object>,
  others: InMemory = noDocuments,
): ReadModels =>
  createInMemoryReadModels({
    get: <Doc extends object>(collection: Collection<Doc>, id: string): Doc | undefined => {
      if (collection.name !== rows.name) return others.get(collection, id);
      // The row is a document of this collection.
      return id === row.id ? (row.doc as Doc) : undefined;
    },
    ids: (collection, column, value) =>
      collection.name === rows.name ? [row.id] : others.ids(collection, column, value),
  });
