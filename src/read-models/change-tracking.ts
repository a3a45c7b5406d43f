import type {
  ProjectionIdentity,
  ReadModelStore,
  ChangesByCollection,
  ChangedDocument,
  CollectionChanges,
  DocumentWrite,
} from './port.ts';
import { partitionOf } from './columns.ts';

/** More changed documents of a collection than these are given as `all`. */
const MAX_NAMED = 1_000;

const toTouched = (write: DocumentWrite): ChangedDocument => ({ id: write.id, partition: partitionOf(write) ?? null });

const added = (before: CollectionChanges, documents: readonly ChangedDocument[]): CollectionChanges => {
  if (typeof before === 'string') return before;
  return before.length + documents.length > MAX_NAMED ? 'all' : [...before, ...documents];
};

/** Wraps a store. Its `drain` gives what was stored since the last call, for readers to be told; `all` at first. */
export const withChangeTracking = (
  store: ReadModelStore,
): { readonly store: ReadModelStore; readonly drain: () => ChangesByCollection } => {
  let notes: Map<string, CollectionChanges> | 'all' = 'all';
  const note = (collection: string, documents: readonly ChangedDocument[]): void => {
    if (notes !== 'all') notes.set(collection, added(notes.get(collection) ?? [], documents));
  };
  /** Readers see an emptied collection at once, before any commit. */
  const emptied = ({ collections }: ProjectionIdentity): void => {
    for (const { name } of collections) if (notes !== 'all') notes.set(name, 'emptied');
  };
  return {
    store: {
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
        for (const { name } of projection.collections) {
          const own = writes.filter((write) => write.collection.name === name);
          if (own.length > 0) note(name, own.map(toTouched));
        }
      },
      async drop(name) {
        await store.drop(name);
        // The names of its collections are not known here.
        notes = 'all';
      },
    },
    drain: () => {
      const touched = notes;
      notes = new Map();
      return touched;
    },
  };
};
