import type { ProjectionBuilds } from '../../src/builds/build-schema.ts';
import type { BuildRegistry } from '../../src/builds/registry.ts';
import { activeBuild } from '../../src/builds/projection-builds.ts';
import type { ParkedByBuild } from '../../src/builds/releases.ts';
import type { ParkedStream } from '../../src/read-models/port.ts';
import type { MemoryLog } from '../support/memory-stores.ts';

/** The revisions of a stream that an operator has ever skipped in a build. */
export type SkippedOf = (build: string, stream: string) => ReadonlySet<number>;

/** A build registry that remembers every event that an operator has skipped. */
export const rememberSkips = (inner: BuildRegistry) => {
  const all = new Map<string, Set<number>>();
  const keyOf = (build: string, stream: string): string => `${build} ${stream}`;
  const registry: BuildRegistry = {
    ...inner,
    async change(name, act) {
      const record = await inner.change(name, act);
      for (const { id, releases } of record.builds)
        for (const { stream, revision, kind } of releases) {
          const key = keyOf(id, stream);
          if (kind === 'skip') all.set(key, (all.get(key) ?? new Set<number>()).add(revision));
        }
      return record;
    },
  };
  const skippedOf: SkippedOf = (build, stream) => all.get(keyOf(build, stream)) ?? new Set();
  return {
    registry,
    skippedOf,
    hasSkipped: (name: string): boolean => [...all.keys()].some((key) => key.startsWith(`${name}@`)),
  };
};

/** An event that a projection cannot apply. */
export interface Poisoned {
  readonly projection: string;
  readonly stream: string;
  readonly revision: number;
}

/** The state once all active builds are at the head. */
export interface Stand {
  readonly records: ReadonlyMap<string, ProjectionBuilds>;
  readonly parked: ParkedByBuild;
}

/** Whether the stored facts of a parked stream differ from those of the event in the event log. */
const untrue = ({ stream, revision, position, type }: ParkedStream, { events }: MemoryLog): boolean =>
  !events.some(
    (event) =>
      event.stream === stream && event.revision === revision && event.position === position && event.type === type,
  );

/**
 * Wrongly parked streams of the active builds, which are at the head: a stream with poison events must be parked at the
 * first of them, and no other stream may be. A stream of which an event was skipped may be parked anywhere, as later
 * events may need that event.
 */
export const misparked = (
  { records, parked }: Stand,
  poison: readonly Poisoned[],
  skippedOf: SkippedOf,
  log: MemoryLog,
): string[] =>
  [...records.values()].flatMap((record) => {
    const { id } = activeBuild(record);
    const found = parked.get(id)?.parked ?? [];
    const planted = new Map<string, number>();
    for (const { projection, stream, revision } of poison)
      if (projection === record.name) planted.set(stream, Math.min(revision, planted.get(stream) ?? Infinity));
    const isWhole = (stream: string): boolean => skippedOf(id, stream).size === 0;
    const surplus = found.filter(
      ({ stream, revision }) => !planted.has(stream) || (isWhole(stream) && planted.get(stream) !== revision),
    );
    const streams = new Set(found.map(({ stream }) => stream));
    const missing = [...planted.keys()].filter((stream) => isWhole(stream) && !streams.has(stream));
    return [
      ...surplus.map(({ stream, revision, error }) => `${stream} is parked at ${revision} in ${id}: ${error}`),
      ...missing.map((stream) => `${stream} is not parked in ${id}`),
      ...found
        .filter((each) => untrue(each, log))
        .map(({ stream, revision, type, position }) => {
          return `${stream} is parked at ${revision} in ${id}, which is not ${type} at ${position}`;
        }),
    ];
  });
