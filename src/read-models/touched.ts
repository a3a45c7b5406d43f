import type { ReadModelStore, Touched, Write } from './port.ts';

/** More than this are not told one by one. */
const MOST_TOLD = 1_000;

const partitionOf = ({ collection: { partition }, id, doc }: Write): string | null => {
  if (!doc) return null;
  const value = partition === 'id' ? id : (doc as Readonly<Record<string, unknown>>)[partition];
  return typeof value === 'string' ? value : null;
};

const join = (some: readonly Touched[] | 'all', more: readonly Touched[] | 'all') =>
  some === 'all' || more === 'all' || some.length + more.length > MOST_TOLD ? 'all' : [...some, ...more];

/**
 * Notes which documents others can see changed.
 *
 * @returns the same store, and a function that gives what was flushed since it was last asked; all, at first
 */
export const noteTouched = (
  store: ReadModelStore,
): { readonly noting: ReadModelStore; readonly take: () => readonly Touched[] | 'all' } => {
  let committed: readonly Touched[] | 'all' = [];
  let flushed: readonly Touched[] | 'all' = 'all';
  return {
    noting: {
      ...store,
      async commit(projection, writes, checkpoint) {
        await store.commit(projection, writes, checkpoint);
        const touched = writes.map((write) => ({
          collection: write.collection.name,
          id: write.id,
          partition: partitionOf(write),
        }));
        committed = join(committed, touched);
      },
      async flush() {
        await store.flush();
        flushed = join(flushed, committed);
        committed = [];
      },
    },
    take: () => {
      const touched = flushed;
      flushed = [];
      return touched;
    },
  };
};
