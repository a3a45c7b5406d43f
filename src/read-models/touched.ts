import type { ReadModelStore, Touched, Write } from './port.ts';
import { memberOf } from './sift.ts';

/** More than this are not told one by one. */
const MOST_TOLD = 1_000;

const partitionOf = ({ collection: { partition: name }, id, doc, partition }: Write): string | null => {
  const value = doc ? memberOf({ id, doc }, name) : partition;
  return typeof value === 'string' ? value : null;
};

const toTouched = (write: Write): Touched => ({
  collection: write.collection.name,
  id: write.id,
  partition: partitionOf(write),
});

type Told = readonly Touched[] | 'all';

const join = <More>(some: Told, more: readonly More[] | 'all', tell: (each: More) => Touched): Told =>
  some === 'all' || more === 'all' || some.length + more.length > MOST_TOLD
    ? 'all'
    : [...some, ...more.map(tell)];

/**
 * Notes which documents others can see changed.
 *
 * @returns the same store, and a function that gives what was flushed since it was last asked; all, at first
 */
export const noteTouched = (
  store: ReadModelStore,
): { readonly noting: ReadModelStore; readonly take: () => Told } => {
  let committed: Told = [];
  let flushed: Told = 'all';
  return {
    noting: {
      ...store,
      async commit(projection, writes, checkpoint) {
        await store.commit(projection, writes, checkpoint);
        committed = join(committed, writes, toTouched);
      },
      async flush() {
        await store.flush();
        flushed = join(flushed, committed, (each) => each);
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
