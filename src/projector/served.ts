import type { Projection } from './projection.ts';
import type { Collection, ReadModels } from '../read-models/port.ts';
import { collectionsOf } from './build-projection.ts';

/** The ids of the active builds, by projection. */
export type ServedIds = ReadonlyMap<string, string>;

/** The read models of the active builds: a request that takes them keeps to the same builds. */
export const servedReadModels = (
  readModels: ReadModels,
  projections: readonly Projection[],
  ids: ServedIds,
): ReadModels => {
  const own = new Map<string, (collection: Collection) => Collection>();
  for (const { name, collections } of projections) {
    const id = ids.get(name);
    if (id === undefined) continue;
    for (const collection of collections) own.set(collection.name, collectionsOf(id));
  }
  const served = <C extends Collection>(collection: C): C => {
    const map = own.get(collection.name);
    if (!map) throw new Error(`No projection has the collection ${collection.name}`);
    return map(collection) as C;
  };
  return {
    get: (collection, id) => readModels.get(served(collection), id),
    find: (collection, find) => readModels.find(served(collection), find),
    count: (collection, filter) => readModels.count(served(collection), filter),
  };
};
