import { parseEntry, type Catalogue } from '../../src/build-registry/catalogue.ts';
import type { Entry } from '../../src/build-registry/build.ts';

/** What outlives the catalogues that are opened on it. */
export type MemoryEntries = Map<string, unknown>;

/** A catalogue in memory, for tests; it passes the contract suite. */
export const openMemoryCatalogue = (kept: MemoryEntries = new Map<string, unknown>()): Catalogue => ({
  all: () =>
    Promise.resolve().then(() => new Map([...kept].map(([name, entry]) => [name, parseEntry(entry)]))),
  change: (name, act) =>
    Promise.resolve().then(() => {
      const before = kept.get(name);
      const after: Entry = act(before === undefined ? undefined : parseEntry(before));
      kept.set(name, structuredClone(after));
      return after;
    }),
  close: () => Promise.resolve(),
});
