import type { Projection } from './projection.ts';
import type { Collection, ReadModels } from '../read-models/port.ts';
import { memoizeByIdentity } from '../lib/memoize-by-identity.ts';
import { projectionNameOfBuild } from './build-id.ts';

/** `posting-candidates@2.1` keeps `posting_candidates` in `posting_candidates_v2_1`. */
const suffixOf = (id: string): string => `_v${id.slice(projectionNameOfBuild(id).length + 1).replace('.', '_')}`;

const makers = new Map<string, (collection: Collection) => Collection>();

/** Makes a build's collections from its projection's: of the same one always the same object. */
export const collectionMapperOf = (id: string): (<C extends Collection>(collection: C) => C) => {
  let make = makers.get(id);
  if (!make) {
    make = memoizeByIdentity((collection) => ({ ...collection, name: `${collection.name}${suffixOf(id)}` }));
    makers.set(id, make);
  }
  return make as <C extends Collection>(collection: C) => C;
};

/** A projection under a build's name, in that build's collections. */
export const toBuildProjection = (projection: Projection, id: string): Projection => {
  const toPhysical = collectionMapperOf(id);
  const { collections, shared } = projection;
  return {
    ...projection,
    name: id,
    collections: collections.map((each) => toPhysical(each)),
    ...(shared && { shared: shared.map((each) => toPhysical(each)) }),
    toPhysical,
  };
};

/** By projection. */
export type ServedBuildIds = ReadonlyMap<string, string>;

/** The read models of the served builds: a request that takes them keeps to the same builds. */
export const servedReadModels = (
  readModels: ReadModels,
  projections: readonly Projection[],
  ids: ServedBuildIds,
): ReadModels => {
  const own = new Map<string, (collection: Collection) => Collection>();
  for (const { name, collections } of projections) {
    const id = ids.get(name);
    if (id === undefined) continue;
    for (const collection of collections) own.set(collection.name, collectionMapperOf(id));
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
