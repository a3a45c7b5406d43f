import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ProjectionBuildsSummary, ProjectionBuilds } from './build-schema.ts';
import type { BegunBuild } from './operations.ts';
import { requireRecord, type BuildRegistry } from './registry.ts';
import {
  toFinalProgressLine,
  toBuildProgressLine,
  buildOutcomeOf,
  type BuildProgressLine,
  type BuildOutcome,
} from './progress-lines.ts';
import { findBuild, isBuildOpen } from './projection-builds.ts';

/** What has happened to a build: progress, or its end. */
export type BuildUpdate =
  | { readonly kind: 'build'; readonly line: BuildProgressLine }
  | { readonly kind: 'outcome'; readonly line: { readonly projection: string; readonly build: string } & BuildOutcome };

type Observed = ReadonlyMap<string, ProjectionBuildsSummary>;
type Records = ReadonlyMap<string, ProjectionBuilds>;

interface ReportedBuild {
  readonly name: string;
  readonly line: BuildProgressLine | undefined;
  readonly outcome: BuildOutcome | undefined;
}

/** The builds of the records, and those that were reported as under way and are forgotten since. */
const knownBuilds = (records: Observed, reported: ReadonlyMap<string, ReportedBuild>): BegunBuild[] => {
  const inRecords = [...records].flatMap(([name, { builds }]) => builds.map(({ id: build }) => ({ name, build })));
  const known = new Set(inRecords.map(({ build }) => build));
  const forgotten = [...reported].flatMap(([build, { name, line }]) =>
    line && isBuildOpen(line) && !known.has(build) && records.has(name) ? [{ name, build }] : [],
  );
  return [...inRecords, ...forgotten];
};

/**
 * Creates a function that gives the news of builds since its last call. The first call gives the builds that are under
 * way or wait for an operator.
 *
 * @param awaited the only builds to report, also if they ended before the first call; left out: all
 * @throws Error where the build registry has lost a projection whose build is awaited
 */
export const createBuildUpdateFinder = (
  awaited?: readonly BegunBuild[],
): ((records: Observed) => readonly BuildUpdate[]) => {
  let reported: ReadonlyMap<string, ReportedBuild> | undefined;
  return (records) => {
    const news: BuildUpdate[] = [];
    const now = new Map<string, ReportedBuild>();
    for (const { name, build: id } of awaited ?? knownBuilds(records, reported ?? new Map())) {
      const record = requireRecord(name, records.get(name));
      const [build, before] = [findBuild(record, id), reported?.get(id)];
      const outcome = buildOutcomeOf(record, id);
      const line = build
        ? toBuildProgressLine(name, build)
        : before?.line && outcome && toFinalProgressLine(before.line, outcome);
      now.set(id, { name, line, outcome });
      if (!reported && !awaited && build && !isBuildOpen(build)) continue;
      if (line && !isDeepStrictEqual(before?.line, line)) news.push({ kind: 'build', line });
      // Dropping a build that was kept long enough is no new outcome.
      const isOver = build?.step === 'discarded' && before?.line?.step === 'ready';
      if (outcome && !isOver && !isDeepStrictEqual(before?.outcome, outcome))
        news.push({ kind: 'outcome', line: { projection: name, build: id, ...outcome } });
    }
    reported = now;
    return news;
  };
};

export interface RegistryFeed {
  /** Gives a follower the build registry's records again and again, until the returned function is called. */
  subscribe(follower: (records: Records) => void): () => void;
  /** Resolves when the last read has ended, after the signal. */
  ended(): Promise<void>;
}

const POLL_MS = 200;
const RETRY_MS = 2_000;

/** Reads the build registry while there are followers, once for all of them, until the signal is aborted. */
export const createRegistryFeed = ({
  all,
  onError,
  signal,
}: {
  readonly all: BuildRegistry['all'];
  readonly onError: (error: unknown) => void;
  readonly signal: AbortSignal;
}): RegistryFeed => {
  const followers = new Set<(records: Records) => void>();
  let looking: Promise<void> | undefined;

  const look = async (): Promise<void> => {
    while (followers.size > 0 && !signal.aborted) {
      let pause = POLL_MS;
      try {
        const records = await all();
        for (const follower of followers) follower(records);
      } catch (error) {
        onError(error);
        pause = RETRY_MS;
      }
      await delay(pause, undefined, { signal }).catch(() => undefined);
    }
    looking = undefined;
  };

  return {
    subscribe(follower) {
      followers.add(follower);
      looking ??= look();
      return () => followers.delete(follower);
    },
    ended: () => looking ?? Promise.resolve(),
  };
};
