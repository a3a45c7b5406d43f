import type { SyncReadModels } from './sync-read-models.ts';
import { createCacheInvalidator, CachedPartition } from './cached-partition.ts';
import type { Collection, ChangesByCollection, ChangedDocument, ValidityFlag } from '../port.ts';

/** Of all partitions together; an empty one counts as one document. */
const MAX_DOCUMENTS = 20_000;

const sizeOf = ({ size }: CachedPartition): number => Math.max(1, size);

/** The partitions read last, whole. Never stale, as long as `refresh` is told of every change. */
export const createPartitionCache = ({ get, inPartition }: SyncReadModels) => {
  /** By collection and partition, the least recently used first. */
  const kept = new Map<string, CachedPartition>();
  const collections = new Map<string, Collection>();
  /** Validities of reads across partitions, by collection name. */
  const wholes = new Map<string, ReturnType<typeof createCacheInvalidator>>();
  let documents = 0;

  const keyOf = (collection: string, value: string): string => `${collection} ${value}`;

  const load = (collection: Collection, value: string): CachedPartition => {
    collections.set(collection.name, collection);
    return new CachedPartition(inPartition(collection, value));
  };

  /** Rare: a projection that deletes a document usually names its partition. */
  const holderOf = (collection: string, id: string): CachedPartition | undefined => {
    const prefix = keyOf(collection, '');
    for (const [key, partition] of kept) if (key.startsWith(prefix) && partition.get(id)) return partition;
    return undefined;
  };

  const drop = (key: string, partition: CachedPartition): void => {
    kept.delete(key);
    documents -= sizeOf(partition);
    partition.leave();
  };

  const dropAll = (collection: string): void => {
    const prefix = keyOf(collection, '');
    for (const [key, partition] of kept) if (key.startsWith(prefix)) drop(key, partition);
  };

  const reload = (collection: Collection, { id, partition: value }: ChangedDocument): void => {
    const { name } = collection;
    const partition = value === null ? holderOf(name, id) : kept.get(keyOf(name, value));
    if (!partition) return;
    const before = sizeOf(partition);
    try {
      partition.set(id, get(collection, id));
    } catch {
      // The collection was dropped, as a rule; otherwise the next query gets the error.
      dropAll(name);
      return;
    }
    documents += sizeOf(partition) - before;
  };

  return {
    of(collection: Collection, value: string): CachedPartition {
      const key = keyOf(collection.name, value);
      let partition = kept.get(key);
      if (partition) kept.delete(key);
      else documents += sizeOf((partition = load(collection, value)));
      kept.set(key, partition);
      for (const [oldest, one] of kept) {
        if (documents <= MAX_DOCUMENTS || oldest === key) break;
        drop(oldest, one);
      }
      return partition;
    },

    /** Of reads across partitions: current until any document of the collection changes. */
    validityOf({ name }: Collection): ValidityFlag {
      let validities = wholes.get(name);
      if (!validities) wholes.set(name, (validities = createCacheInvalidator()));
      return validities.current();
    },

    refresh(touched: ChangesByCollection): void {
      if (touched === 'all') {
        for (const [key, partition] of kept) drop(key, partition);
        for (const whole of wholes.values()) whole.expire();
        return;
      }
      for (const [name, some] of touched) {
        wholes.get(name)?.expire();
        const collection = collections.get(name);
        if (!collection) continue;
        if (typeof some === 'string') dropAll(name);
        else for (const document of some) reload(collection, document);
      }
    },
  };
};
