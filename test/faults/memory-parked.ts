import type { Entry } from '../../src/build-registry/build.ts';
import type { Catalogue } from '../../src/build-registry/catalogue.ts';
import { liveBuild } from '../../src/build-registry/entry.ts';
import type { ParkedByBuild } from '../../src/build-registry/releases.ts';
import type { ParkedStream } from '../../src/read-models/port.ts';
import type { MemoryLog } from '../support/memory-stores.ts';

/** The events of a stream that somebody has ever asked to leave out of a build. */
export type SkippedOf = (build: string, stream: string) => ReadonlySet<number>;

/** A catalogue that remembers every event that somebody has asked to leave out. */
export const rememberSkips = (inner: Catalogue) => {
  const all = new Map<string, Set<number>>();
  const keyOf = (build: string, stream: string): string => `${build} ${stream}`;
  const catalogue: Catalogue = {
    ...inner,
    async change(name, act) {
      const entry = await inner.change(name, act);
      for (const { id, releases } of entry.builds)
        for (const { stream, revision, kind } of releases) {
          const key = keyOf(id, stream);
          if (kind === 'skip') all.set(key, (all.get(key) ?? new Set<number>()).add(revision));
        }
      return entry;
    },
  };
  const skippedOf: SkippedOf = (build, stream) => all.get(keyOf(build, stream)) ?? new Set();
  return {
    catalogue,
    skippedOf,
    /** Whether anything was to be left out in any build of a projection. */
    hasSkipped: (name: string): boolean => [...all.keys()].some((key) => key.startsWith(`${name}@`)),
  };
};

/** An event that a projection cannot apply. */
export interface Poisoned {
  readonly projection: string;
  readonly stream: string;
  readonly revision: number;
}

/** What is known once all is at the head. */
export interface Stand {
  readonly entries: ReadonlyMap<string, Entry>;
  readonly parked: ParkedByBuild;
}

/** What is said of a parked stream that is not so of the event at which it is parked. */
const untrue = ({ stream, revision, position, type }: ParkedStream, { events }: MemoryLog): boolean =>
  !events.some(
    (event) =>
      event.stream === stream &&
      event.revision === revision &&
      event.position === position &&
      event.type === type,
  );

/**
 * What is wrong with what is parked in the builds that are served, all of which are at the head of the log: each stream with
 * such an event is parked at the first of them, and no other stream is. One of which something was left out may be parked
 * anywhere, as what comes later may need that.
 */
export const misparked = (
  { entries, parked }: Stand,
  poison: readonly Poisoned[],
  skippedOf: SkippedOf,
  log: MemoryLog,
): string[] =>
  [...entries.values()].flatMap((entry) => {
    const { id } = liveBuild(entry);
    const found = parked.get(id)?.parked ?? [];
    const planted = new Map<string, number>();
    for (const { projection, stream, revision } of poison)
      if (projection === entry.name) planted.set(stream, Math.min(revision, planted.get(stream) ?? Infinity));
    const isWhole = (stream: string): boolean => skippedOf(id, stream).size === 0;
    const surplus = found.filter(
      ({ stream, revision }) => !planted.has(stream) || (isWhole(stream) && planted.get(stream) !== revision),
    );
    const streams = new Set(found.map(({ stream }) => stream));
    const missing = [...planted.keys()].filter((stream) => isWhole(stream) && !streams.has(stream));
    return [
      ...surplus.map(
        ({ stream, revision, error }) => `${stream} is parked at ${revision} in ${id}: ${error}`,
      ),
      ...missing.map((stream) => `${stream} is not parked in ${id}`),
      ...found
        .filter((each) => untrue(each, log))
        .map(({ stream, revision, type, position }) => {
          return `${stream} is parked at ${revision} in ${id}, which is not ${type} at ${position}`;
        }),
    ];
  });
