import { parseEntry, type BuildRegistry } from '../../src/build-registry/registry.ts';
import type { Entry } from '../../src/build-registry/build.ts';

/** The entries, which outlive the build registries that are opened on them. */
export type MemoryEntries = Map<string, unknown>;

/** A build registry in memory, for tests; it passes the contract suite. */
export const openMemoryBuildRegistry = (kept: MemoryEntries = new Map<string, unknown>()): BuildRegistry => ({
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
