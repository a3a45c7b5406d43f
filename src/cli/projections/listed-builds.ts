import { existsSync } from 'node:fs';
import { projections } from '../../../projections/index.ts';
import { secondsLeft, type BuildProgressLine } from '../../builds/progress-lines.ts';
import { readEmbeddedHead } from '../../event-store/embedded/event-store.ts';
import { START_POSITION } from '../../event-store/port.ts';
import { using } from '../../lib/using.ts';
import {
  createLagCounter,
  createOverviewReader,
  type OverviewOptions,
  type ProjectionOverview,
} from '../../builds/overview.ts';
import {
  openBuildRegistry,
  openEventStore,
  openReadModelReader,
  buildRegistryFileOf,
  type SqliteSettings,
  type StoreSettings,
} from '../../stores.ts';

type BuildOverview = ProjectionOverview['builds'][number];

/** A build as `hiring projections list` shows it. */
export interface ListedBuild extends Pick<
  BuildOverview,
  'version' | 'state' | 'step' | 'position' | 'lagEvents' | 'stoppedBy' | 'quarantined'
> {
  readonly projection: string;
  /** Null before the service has run. */
  readonly build: string | null;
  /** The process that keeps it up to date, and since when; null where none does, or only one can. */
  readonly holder: string | null;
  readonly since: string | null;
  readonly pausedSince: string | null;
  readonly pausedBy: string | null;
  /** Of a build under way; null before the first look at it, and of any other. */
  readonly progress: (NonNullable<BuildOverview['progress']> & Pick<BuildProgressLine, 'secondsLeft'>) | null;
}

/** The place of a projection without builds. */
const UNBUILT = {
  id: null,
  state: 'live',
  position: null,
  lease: null,
  quarantined: [],
  step: 'build',
  progress: null,
  stoppedBy: null,
} as const;

/** @param unbuiltLag how many events a projection without builds is behind; null: not known */
export const listedBuilds = (overview: readonly ProjectionOverview[], unbuiltLag: number | null): ListedBuild[] =>
  overview.flatMap(({ name, version, paused, builds }) => {
    const shown = builds.length > 0 ? builds : [{ ...UNBUILT, version, lagEvents: unbuiltLag }];
    return shown.map((build): ListedBuild => ({
      projection: name,
      version: build.version,
      build: build.id,
      state: build.state,
      step: build.step,
      position: build.position,
      lagEvents: build.lagEvents,
      holder: build.lease?.holder ?? null,
      since: build.lease?.since ?? null,
      pausedSince: paused?.since ?? null,
      pausedBy: paused?.by ?? null,
      progress:
        build.step === 'build' && build.progress
          ? { ...build.progress, secondsLeft: secondsLeft(build.progress) }
          : null,
      stoppedBy: build.stoppedBy,
      quarantined: [...build.quarantined],
    }));
  });

const readStores = async (stores: Omit<OverviewOptions, 'projections' | 'projector'>): Promise<ListedBuild[]> => {
  const overview = await createOverviewReader({ ...stores, projections, projector: { status: () => [] } })();
  const isBuilt = overview.every(({ builds }) => builds.length > 0);
  return listedBuilds(overview, isBuilt ? null : await createLagCounter(stores.eventStore)(START_POSITION));
};

const readConcurrently = (
  readModels: StoreSettings['readModels'],
  eventStore: OverviewOptions['eventStore'],
): Promise<ListedBuild[]> =>
  using(openReadModelReader(readModels), ({ checkpoints, leases }) =>
    using(openBuildRegistry(readModels), (registry) => readStores({ registry, checkpoints, leases, eventStore })),
  );

/** Reads the files, whether the service runs or not, and makes none. */
const readFiles = (events: SqliteSettings, readModels: SqliteSettings, isLogAsked: boolean): Promise<ListedBuild[]> => {
  const head = isLogAsked ? readEmbeddedHead(events.path) : 0;
  const eventStore: OverviewOptions['eventStore'] = {
    countAfter: (position) => Promise.resolve(Math.max(0, head - Number(position))),
  };
  if (existsSync(buildRegistryFileOf(readModels))) return readConcurrently(readModels, eventStore);
  const nothing = () => Promise.resolve(new Map<string, never>());
  return readStores({ registry: { all: nothing }, checkpoints: nothing, eventStore });
};

/**
 * All builds, as stored at most a second ago, whether the service runs or not; makes no file.
 *
 * @param isLogAsked false: only builds are read, and lags are not known
 */
export const readBuilds = async (
  { eventStore, readModels }: StoreSettings,
  isLogAsked = true,
): Promise<ListedBuild[]> => {
  if (eventStore.kind === 'sqlite' && readModels.kind === 'sqlite')
    return readFiles(eventStore, readModels, isLogAsked);
  return isLogAsked
    ? using(openEventStore(eventStore), (log) => readConcurrently(readModels, log))
    : readConcurrently(readModels, { countAfter: () => Promise.resolve(0) });
};
