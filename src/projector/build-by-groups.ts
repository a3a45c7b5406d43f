import { setImmediate } from 'node:timers/promises';
import { START, type EventStore, type Mark } from '../event-store/port.ts';
import { NOTHING } from './applier.ts';
import { createLeakyBucket } from '../lib/leaky-bucket.ts';
import { typesApplied } from './projection.ts';
import type { ProjectionRunner, Runners } from './runner.ts';
import type { ReadModelStore } from '../read-models/port.ts';
import type { ApplyGroups } from './apply-groups.ts';

export interface GroupBuildOptions {
  readonly eventStore: Pick<EventStore, 'head' | 'recordAt'>;
  readonly readModels: Pick<ReadModelStore, 'maxInserted'>;
  readonly runners: Runners;
  readonly applyGroups: ApplyGroups;
  readonly batchSize: number;
  /** How long documents may wait to be stored. */
  readonly storeEveryMs: number;
  /** Events a second at most, by the current targets of these runners. */
  readonly throttleOf: (runners: readonly ProjectionRunner[]) => number;
  readonly signal: AbortSignal;
}

/** The last event of the event log; undefined while it is empty. */
const headMark = async (eventStore: GroupBuildOptions['eventStore']): Promise<Mark | undefined> => {
  const position = await eventStore.head();
  const record = position === START ? undefined : await eventStore.recordAt(position);
  return record && { position, id: record.id };
};

/**
 * Sorts runners that are still to be built into passes, each of one grouping and one place to begin at.
 *
 * @param threads most passes of the same events, each of which can have its own thread
 */
export const passesOf = (some: readonly ProjectionRunner[], threads: number): ProjectionRunner[][] => {
  const alike = new Map<string, ProjectionRunner[]>();
  for (const runner of some) {
    const { projection, checkpoint, isUngrouped } = runner;
    if (checkpoint.position !== START || !projection.grouping || isUngrouped) continue;
    const { upTo, group } = checkpoint.building ?? {};
    const key = JSON.stringify([projection.grouping.by, upTo, group]);
    alike.set(key, [...(alike.get(key) ?? []), runner]);
  }
  return [...alike.values()].flatMap((all) => {
    const passes = Array.from({ length: Math.min(threads, all.length) }, (): ProjectionRunner[] => []);
    for (const [index, runner] of all.entries()) passes[index % passes.length]?.push(runner);
    return passes;
  });
};

/**
 * Builds projections from nothing up to the end of the event log, group by group: each document is stored once.
 *
 * @param attempt acts for a runner that is still to be built, and drops it where that fails
 * @param isLeft whether a runner is still to be built
 */
export const buildByGroups = async (
  pass: readonly ProjectionRunner[],
  attempt: (runner: ProjectionRunner, act: () => Promise<void>) => Promise<void>,
  isLeft: (runner: ProjectionRunner) => boolean,
  options: GroupBuildOptions,
): Promise<void> => {
  const { eventStore, readModels, runners, applyGroups, batchSize, storeEveryMs, throttleOf, signal } =
    options;
  const { checkpoint: { building, last } = NOTHING, projection } = pass[0] ?? {};
  const upTo = building && last ? last : await headMark(eventStore);
  const types = typesApplied(pass.map((runner) => runner.projection));
  const by = projection?.grouping?.by;
  if (by === undefined || !upTo || types.length === 0) return;
  const left = () => pass.filter(isLeft);
  const throttle = createLeakyBucket(() => throttleOf(left()), signal);
  const starts = pass.map(({ projection, checkpoint: { parked, building } }) => ({
    projection,
    parked,
    isBegun: building !== null,
  }));
  const read = { by, types, upTo: upTo.position, batchSize, after: building?.group ?? undefined };
  const size = { maxDocuments: readModels.maxInserted ?? Infinity, everyMs: storeEveryMs };
  const builds = new Map(
    pass.map((runner) => [runner.projection.name, { runner, parts: runners.beginBuild(runner, upTo) }]),
  );
  for await (const part of applyGroups({ starts, read, ...size }, signal)) {
    const [first] = left();
    if (!first || signal.aborted) return;
    const { runner, parts } = builds.get(part.projection) ?? {};
    if (runner && parts) await attempt(runner, () => runners.build(runner, parts, part));
    // A batch yields a part for each runner, and counts once.
    if (runner === first) await throttle(part.events);
    // Lets other tasks run: an embedded store does not yield to the event loop.
    await setImmediate();
  }
  if (signal.aborted) return;
  for (const { runner, parts } of builds.values()) await attempt(runner, () => runners.built(runner, parts));
};
