import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { openFileReaders } from './file-readers.ts';
import { asReadModels } from './selects.ts';
import type { Partition } from './partition.ts';
import { createPartitions } from './partitions.ts';
import type {
  Checkpoint,
  Collection,
  Filter,
  Find,
  LeaseStatus,
  ReadModels,
  Stored,
  Touched,
  TrackedReads,
  Validity,
} from '../port.ts';
import type { AnyFilter } from '../sift.ts';

/** The reading half of the read models, beside whoever writes them. */
export interface ReadModelsReader extends ReadModels {
  /** To be told of every change when it is visible, and before anybody is told that it is. */
  changed(touched: Touched): void;
  /** Reads that note what they read, for one request; left out where changes of others are not told. */
  readonly track?: () => TrackedReads;
  /** The checkpoints that are stored, by the names of projections. */
  readonly checkpoints: () => Promise<ReadonlyMap<string, Checkpoint>>;
  /** By the names of projections, who keeps each up to date and since when; left out where only one process can. */
  readonly leases?: () => Promise<ReadonlyMap<string, Pick<LeaseStatus, 'holder' | 'since'>>>;
  /** A rate limit for all processes that share the store; left out where there is only one. */
  readonly createLimiter?: (points: number, seconds: number) => Pick<RateLimiterAbstract, 'consume'>;
  close(): Promise<void>;
}

/** The partition that a filter names, and what is left of the filter. */
const split = <Doc extends object>({ partition }: Collection<Doc>, filter: Filter<Doc>) => {
  const { [partition as keyof typeof filter]: value, ...rest } = filter;
  return typeof value === 'string' ? { value, rest: rest as AnyFilter } : undefined;
};

/**
 * Reads the read models beside the one who writes them, and keeps the partitions that were read last in memory.
 *
 * @param path of the files, as their writer has it
 */
export const openReadModelsReader = (
  path: string,
): ReadModelsReader & Required<Pick<ReadModelsReader, 'track'>> => {
  const readers = openFileReaders(path);
  const plain = asReadModels(readers.selects);
  const partitions = createPartitions(readers.selects);

  /** @param note told of what each read depends on, before it reads */
  const reading = (note: (validity: Validity) => void): ReadModels => {
    const noted = (partition: Partition): Partition => {
      note(partition.validity);
      return partition;
    };
    return {
      get: <Doc extends object>(collection: Collection<Doc>, id: string) => {
        // What a collection's partition holds was stored as its documents.
        if (collection.partition === 'id')
          return Promise.resolve(noted(partitions.of(collection, id)).get(id) as Stored<Doc> | undefined);
        note(partitions.validityOf(collection));
        return plain.get(collection, id);
      },
      find: <Doc extends object>(collection: Collection<Doc>, find: Find<Doc>) => {
        const part = split(collection, find.filter);
        if (!part) {
          note(partitions.validityOf(collection));
          return plain.find(collection, find);
        }
        const { order = [], skip = 0, limit } = find;
        const found = noted(partitions.of(collection, part.value)).find(part.rest, order);
        return Promise.resolve(
          found.slice(skip, limit === undefined ? undefined : skip + limit) as Stored<Doc>[],
        );
      },
      count: (collection, filter) => {
        const part = split(collection, filter);
        if (!part) {
          note(partitions.validityOf(collection));
          return plain.count(collection, filter);
        }
        const partition = noted(partitions.of(collection, part.value));
        const isAll = Object.values(part.rest).every((wanted) => wanted === undefined);
        return Promise.resolve(isAll ? partition.size : partition.find(part.rest, []).length);
      },
    };
  };

  return {
    ...reading(() => undefined),
    track: () => {
      const validities = new Set<Validity>();
      return { readModels: reading((validity) => validities.add(validity)), validities };
    },
    changed(touched) {
      // libsql keeps what is closed until its garbage is collected, so only where files are gone.
      if (touched === 'all' || [...touched.values()].includes('emptied')) readers.close();
      partitions.changed(touched);
    },
    checkpoints: () => Promise.resolve(readers.checkpoints()),
    close() {
      readers.close();
      return Promise.resolve();
    },
  };
};
