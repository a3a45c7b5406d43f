import type { Entry } from '../src/builds/build.ts';
import { parseEntry, type Catalogue } from '../src/builds/catalogue.ts';

/** What outlives the catalogues that are opened on it: JSON by name, so that nothing is shared by accident. */
export type MemoryEntries = Map<string, string>;

/** A catalogue in memory, for tests. */
export const openMemoryCatalogue = (entries: MemoryEntries = new Map<string, string>()): Catalogue => {
  const read = (text: string): Entry => parseEntry(JSON.parse(text));
  return {
    all: () => Promise.resolve(new Map([...entries].map(([name, text]) => [name, read(text)]))),
    change: async (name, act) => {
      // A turn, so that changes meet as they do in a store that is asked from afar.
      await Promise.resolve();
      const text = entries.get(name);
      const after = act(text === undefined ? undefined : read(text));
      entries.set(name, JSON.stringify(after));
      return after;
    },
    close: () => Promise.resolve(),
  };
};
