import type { ProjectionIdentity, ReadModelStore, Touched, TouchedDocument, Write } from './port.ts';
import { memberOf } from './sift.ts';

/** More than this of a collection are not told one by one. */
const MOST_TOLD = 1_000;

const partitionOf = ({ collection: { partition: name }, id, doc, partition }: Write): string | null => {
  const value = doc ? memberOf({ id, doc }, name) : partition;
  return typeof value === 'string' ? value : null;
};

const toTouched = (write: Write): TouchedDocument => ({ id: write.id, partition: partitionOf(write) });

type Notes = Map<string, TouchedDocument[] | 'all'>;

const add = (notes: Notes, collection: string, documents: readonly TouchedDocument[] | 'all'): void => {
  const before = notes.get(collection) ?? [];
  const isTooMuch = before === 'all' || documents === 'all' || before.length + documents.length > MOST_TOLD;
  notes.set(collection, isTooMuch ? 'all' : [...before, ...documents]);
};

/**
 * Notes which documents others can see changed.
 *
 * @returns the same store, and a function that gives what was flushed since it was last asked; all, at first
 */
export const noteTouched = (
  store: ReadModelStore,
): { readonly noting: ReadModelStore; readonly take: () => Touched } => {
  const committed: Notes = new Map();
  let flushed: Notes | 'all' = 'all';
  /** Collections that are emptied are so for others at once. */
  const emptied = ({ collections }: ProjectionIdentity): void => {
    for (const { name } of collections) if (flushed !== 'all') add(flushed, name, 'all');
  };
  return {
    noting: {
      ...store,
      async prepare(projection) {
        const checkpoint = await store.prepare(projection);
        if (!checkpoint) emptied(projection);
        return checkpoint;
      },
      async reset(projection) {
        await store.reset(projection);
        emptied(projection);
      },
      async commit(projection, writes, checkpoint) {
        await store.commit(projection, writes, checkpoint);
        for (const collection of projection.collections) {
          const own = writes.filter((write) => write.collection.name === collection.name);
          if (own.length > 0) add(committed, collection.name, own.map(toTouched));
        }
      },
      async flush() {
        await store.flush();
        if (flushed !== 'all')
          for (const [collection, documents] of committed) add(flushed, collection, documents);
        committed.clear();
      },
    },
    take: () => {
      const touched = flushed;
      flushed = new Map();
      return touched;
    },
  };
};
