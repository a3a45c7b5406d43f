import { existsSync } from 'node:fs';
import { projections } from '../../../projections/index.ts';
import type { BuildStep } from '../../build-registry/build.ts';
import { secondsLeft, type BuildLine } from '../../build-registry/lines.ts';
import { readEmbeddedHead } from '../../event-store/embedded/event-store.ts';
import { START } from '../../event-store/port.ts';
import { using } from '../../lib/using.ts';
import { readEmbeddedCheckpoints } from '../../read-models/embedded/file-readers.ts';
import {
  countsAfter,
  createOverview,
  type BuildState,
  type OverviewOptions,
  type Quarantined,
} from '../../rebuilds/overview.ts';
import {
  openBuildRegistry,
  openEventStore,
  openReadModels,
  registryFile,
  type SqliteFile,
  type StoreSettings,
} from '../../stores.ts';

export interface ListedBuild {
  readonly projection: string;
  readonly version: number;
  /** Null before the service has run. */
  readonly build: string | null;
  readonly state: BuildState;
  readonly step: BuildStep;
  /** In the event log; null before the first event. */
  readonly position: string | null;
  /** Null while the event log does not answer. */
  readonly lagEvents: number | null;
  /** The process that keeps it up to date, and since when; null where none does, or only one can. */
  readonly holder: string | null;
  readonly since: string | null;
  readonly pausedSince: string | null;
  readonly pausedBy: string | null;
  /** Of a build under way; null before the first look at it, and of any other. */
  readonly progress: Pick<BuildLine, 'events' | 'of' | 'perSecond' | 'secondsLeft'> | null;
  /** Why it stopped; null unless it did. */
  readonly stoppedBy: string | null;
  /** Poison events: their streams are parked from there on. */
  readonly quarantined: readonly Quarantined[];
}

const linesOf = async (
  stores: Omit<OverviewOptions, 'projections' | 'projector'>,
): Promise<ListedBuild[]> => {
  const overview = await createOverview({ ...stores, projections, projector: { status: () => [] } })();
  const countAfter = countsAfter(stores.eventStore);
  const lines = overview.map(async ({ name, version, paused, builds }): Promise<ListedBuild[]> => {
    const unbuilt = {
      id: null,
      version,
      state: 'live',
      position: null,
      lease: null,
      quarantined: [],
      step: 'build',
      progress: null,
      stoppedBy: null,
    } as const;
    const shown = builds.length > 0 ? builds : [{ ...unbuilt, lagEvents: await countAfter(START) }];
    return shown.map(({ id: build, lease, step, progress, ...shownBuild }) => ({
      projection: name,
      version: shownBuild.version,
      build,
      state: shownBuild.state,
      step,
      position: shownBuild.position,
      lagEvents: shownBuild.lagEvents,
      holder: lease?.holder ?? null,
      since: lease?.since ?? null,
      pausedSince: paused?.since ?? null,
      pausedBy: paused?.by ?? null,
      progress: step === 'build' && progress ? { ...progress, secondsLeft: secondsLeft(progress) } : null,
      stoppedBy: shownBuild.stoppedBy,
      quarantined: shownBuild.quarantined,
    }));
  });
  return (await Promise.all(lines)).flat();
};

/** Reads the files, whether the service runs or not, and makes none. */
const readFiles = async (
  events: SqliteFile,
  readModels: SqliteFile,
  isLogAsked: boolean,
): Promise<ListedBuild[]> => {
  const head = isLogAsked ? readEmbeddedHead(events.path) : 0;
  const eventStore: OverviewOptions['eventStore'] = {
    countAfter: (position) => Promise.resolve(Math.max(0, head - Number(position))),
  };
  if (!existsSync(registryFile(readModels))) {
    const nothing = () => Promise.resolve(new Map<string, never>());
    return linesOf({ registry: { all: nothing }, checkpoints: nothing, eventStore });
  }
  const stored = readEmbeddedCheckpoints(readModels.path);
  return using(openBuildRegistry(readModels), (registry) =>
    linesOf({ registry, checkpoints: () => Promise.resolve(stored), eventStore }),
  );
};

const readServers = (
  readModels: StoreSettings['readModels'],
  eventStore: OverviewOptions['eventStore'],
): Promise<ListedBuild[]> =>
  using(openReadModels(readModels), ({ checkpoints, leases }) =>
    using(openBuildRegistry(readModels), (registry) =>
      linesOf({ registry, checkpoints, leases, eventStore }),
    ),
  );

/**
 * All builds, as stored at most a second ago, whether the service runs or not; makes no file.
 *
 * @param isLogAsked false: builds alone are read, and nothing is told of lags
 */
export const readBuilds = async (
  { eventStore, readModels }: StoreSettings,
  isLogAsked = true,
): Promise<ListedBuild[]> => {
  if (eventStore.kind === 'sqlite' && readModels.kind === 'sqlite')
    return readFiles(eventStore, readModels, isLogAsked);
  return isLogAsked
    ? using(openEventStore(eventStore), (log) => readServers(readModels, log))
    : readServers(readModels, { countAfter: () => Promise.resolve(0) });
};
