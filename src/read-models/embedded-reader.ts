import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { openReader } from '../sqlite/connections.ts';
import { parseCheckpoint } from './checkpoint-json.ts';
import { asReadModels, selectsOf } from './embedded-selects.ts';
import { CHECKPOINTS } from './embedded-sql.ts';
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
} from './port.ts';
import type { AnyFilter } from './sift.ts';

/** The reading half of the read models, beside whoever writes them. */
export interface ReadModelsReader extends ReadModels {
  /** To be told of every change when it is visible, and before anybody is told that it is. */
  changed(touched: Touched): void;
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
 * @param file path of `read-models.db`, which its writer has made
 */
export const openReadModelsReader = (file: string): ReadModelsReader => {
  const connection = openReader(file);
  const selects = selectsOf(connection);
  const plain = asReadModels(selects);
  const partitions = createPartitions(selects);
  const selectCheckpoints = connection.prepare(CHECKPOINTS).raw();

  return {
    get: <Doc extends object>(collection: Collection<Doc>, id: string) =>
      collection.partition === 'id'
        ? // What a collection's partition holds was stored as its documents.
          Promise.resolve(partitions.of(collection, id).get(id) as Stored<Doc> | undefined)
        : plain.get(collection, id),
    find: <Doc extends object>(collection: Collection<Doc>, find: Find<Doc>) => {
      const part = split(collection, find.filter);
      if (!part) return plain.find(collection, find);
      const { order = [], skip = 0, limit } = find;
      const found = partitions.of(collection, part.value).find(part.rest, order);
      return Promise.resolve(
        found.slice(skip, limit === undefined ? undefined : skip + limit) as Stored<Doc>[],
      );
    },
    count: (collection, filter) => {
      const part = split(collection, filter);
      if (!part) return plain.count(collection, filter);
      const partition = partitions.of(collection, part.value);
      const isAll = Object.values(part.rest).every((wanted) => wanted === undefined);
      return Promise.resolve(isAll ? partition.size : partition.find(part.rest, []).length);
    },
    changed: (touched) => partitions.changed(touched),
    checkpoints: () => {
      const rows = selectCheckpoints.all([]) as (readonly [string, string])[];
      return Promise.resolve(new Map(rows.map(([name, text]) => [name, parseCheckpoint(text)])));
    },
    close() {
      connection.close();
      return Promise.resolve();
    },
  };
};
