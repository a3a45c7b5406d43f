import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { openFileReaders } from './file-readers.ts';
import { toAsyncReadModels } from './sync-read-models.ts';
import type { CachedPartition } from './cached-partition.ts';
import { createPartitionCache } from './partition-cache.ts';
import type {
  Checkpoint,
  Collection,
  Filter,
  FindQuery,
  LeaseStatus,
  ReadModels,
  StoredDocument,
  ChangesByCollection,
  TrackedReads,
  ValidityFlag,
} from '../port.ts';
import type { AnyFilter } from '../in-memory-query.ts';

/** The reading half of the read models, beside their writer. */
export interface ReadModelsReader extends ReadModels {
  /** To be called for every change once it is visible, and before any client is told that it is. */
  refresh(touched: ChangesByCollection): void;
  /** Records the validities of one request's reads; left out where changes by other instances are not told. */
  readonly track?: () => TrackedReads;
  /** The stored checkpoints, by projection name. */
  readonly checkpoints: () => Promise<ReadonlyMap<string, Checkpoint>>;
  /** By projection name, which instance runs it and since when; left out where only one process can. */
  readonly leases?: () => Promise<ReadonlyMap<string, Pick<LeaseStatus, 'holder' | 'since'>>>;
  /** A rate limit for all processes that share the store; left out where there is only one. */
  readonly createLimiter?: (points: number, seconds: number) => Pick<RateLimiterAbstract, 'consume'>;
  close(): Promise<void>;
}

/** The partition that a filter names, and the rest of the filter. */
const splitByPartition = <Doc extends object>({ partition }: Collection<Doc>, filter: Filter<Doc>) => {
  const { [partition as keyof typeof filter]: value, ...rest } = filter;
  return typeof value === 'string' ? { value, rest: rest as AnyFilter } : undefined;
};

/** Reads beside the writer; keeps the partitions read last in memory. Its parameters are those of `openFileReaders`. */
export const openEmbeddedReadModelsReader = (
  path: string,
  onDamaged?: (projection: string) => void,
): ReadModelsReader & Required<Pick<ReadModelsReader, 'track'>> => {
  const readers = openFileReaders(path, onDamaged);
  const plain = toAsyncReadModels(readers.selects);
  const partitions = createPartitionCache(readers.selects);

  /** @param note told of the validity of each read, before it reads */
  const reading = (note: (validity: ValidityFlag) => void): ReadModels => {
    const noted = (partition: CachedPartition): CachedPartition => {
      note(partition.validity);
      return partition;
    };
    return {
      get: <Doc extends object>(collection: Collection<Doc>, id: string) => {
        // A partition holds documents of its collection's type.
        if (collection.partition === 'id')
          return Promise.resolve(noted(partitions.of(collection, id)).get(id) as StoredDocument<Doc> | undefined);
        note(partitions.validityOf(collection));
        return plain.get(collection, id);
      },
      find: <Doc extends object>(collection: Collection<Doc>, find: FindQuery<Doc>) => {
        const part = splitByPartition(collection, find.filter);
        if (!part) {
          note(partitions.validityOf(collection));
          return plain.find(collection, find);
        }
        const { order = [], skip = 0, limit } = find;
        const found = noted(partitions.of(collection, part.value)).find(part.rest, order);
        return Promise.resolve(
          found.slice(skip, limit === undefined ? undefined : skip + limit) as StoredDocument<Doc>[],
        );
      },
      count: (collection, filter) => {
        const part = splitByPartition(collection, filter);
        if (!part) {
          note(partitions.validityOf(collection));
          return plain.count(collection, filter);
        }
        const partition = noted(partitions.of(collection, part.value));
        const isAll = Object.values(part.rest).every((condition) => condition === undefined);
        return Promise.resolve(isAll ? partition.size : partition.find(part.rest, []).length);
      },
    };
  };

  return {
    ...reading(() => undefined),
    track: () => {
      const validities = new Set<ValidityFlag>();
      return { readModels: reading((validity) => validities.add(validity)), validities };
    },
    refresh(touched) {
      // Only where files are gone, since libsql keeps a closed connection until it is garbage-collected.
      if (touched === 'all' || [...touched.values()].includes('emptied')) readers.close();
      partitions.refresh(touched);
    },
    checkpoints: () => Promise.resolve(readers.checkpoints()),
    close() {
      readers.close();
      return Promise.resolve();
    },
  };
};
