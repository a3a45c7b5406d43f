import type { Entry } from '../../src/builds/build.ts';
import type { Catalogue } from '../../src/builds/catalogue.ts';
import { liveBuild } from '../../src/builds/entry.ts';

/** Where a stream has ever waited in a build, and which of these events somebody asked to leave out. */
export interface Waits {
  readonly at: Set<number>;
  readonly skipped: Set<number>;
}

/** A catalogue that remembers every stream that was ever recorded in it to wait. */
export const rememberWaits = (inner: Catalogue) => {
  const all = new Map<string, Waits>();
  const waitsOf = (build: string, stream: string): Waits => {
    const key = `${build} ${stream}`;
    let waits = all.get(key);
    if (!waits) all.set(key, (waits = { at: new Set<number>(), skipped: new Set<number>() }));
    return waits;
  };
  const catalogue: Catalogue = {
    ...inner,
    async change(name, act) {
      const entry = await inner.change(name, act);
      for (const { id, quarantined } of entry.builds)
        for (const { stream, revision, request } of quarantined) {
          waitsOf(id, stream).at.add(revision);
          if (request === 'skip') waitsOf(id, stream).skipped.add(revision);
        }
      return entry;
    },
  };
  return {
    catalogue,
    waitsOf,
    /** Whether anything was to be left out in any build of a projection. */
    hasSkipped: (name: string): boolean =>
      [...all].some(([key, { skipped }]) => key.startsWith(`${name}@`) && skipped.size > 0),
  };
};

/** An event that a projection cannot fold. */
export interface Poisoned {
  readonly projection: string;
  readonly stream: string;
  readonly revision: number;
}

/**
 * What is wrong with what waits in the builds that are served, all of which are at the head of the log: each stream with such
 * an event waits at the first of them, and no other stream waits. One of which something was left out may wait anywhere, as
 * what comes later may need that.
 */
export const misheld = (
  entries: Iterable<Entry>,
  poison: readonly Poisoned[],
  waitsOf: (build: string, stream: string) => Waits,
): string[] =>
  [...entries].flatMap((entry) => {
    const { id, quarantined } = liveBuild(entry);
    const planted = new Map<string, number>();
    for (const { projection, stream, revision } of poison)
      if (projection === entry.name) planted.set(stream, Math.min(revision, planted.get(stream) ?? Infinity));
    const isWhole = (stream: string): boolean => waitsOf(id, stream).skipped.size === 0;
    const surplus = quarantined.filter(
      ({ stream, revision }) => !planted.has(stream) || (isWhole(stream) && planted.get(stream) !== revision),
    );
    const waiting = new Set(quarantined.map(({ stream }) => stream));
    const missing = [...planted.keys()].filter((stream) => isWhole(stream) && !waiting.has(stream));
    return [
      ...surplus.map(({ stream, revision, error }) => `${stream} waits at ${revision} in ${id}: ${error}`),
      ...missing.map((stream) => `${stream} does not wait in ${id}`),
    ];
  });
