import { existsSync } from 'node:fs';
import { projections } from '../../../projections/index.ts';
import {
  countsAfter,
  createOverview,
  type BuildState,
  type OverviewOptions,
  type Quarantined,
} from '../../rebuilds/overview.ts';
import { readEmbeddedHead } from '../../event-store/embedded/event-store.ts';
import { START } from '../../event-store/port.ts';
import { readEmbeddedCheckpoints } from '../../read-models/embedded/file-readers.ts';
import {
  registryFile,
  openBuildRegistry,
  openEventStore,
  openReadModels,
  type SqliteFile,
  type StoreSettings,
} from '../../stores.ts';
import { tableLines, type Screen } from '../parts/table.ts';
import { configOf, type Terminal } from '../parts/terminal.ts';
import { using } from '../../lib/using.ts';
import { print, printJson } from '../parts/print.ts';

export interface ListedBuild {
  readonly projection: string;
  readonly version: number;
  /** Null before the service has run. */
  readonly build: string | null;
  readonly state: BuildState;
  /** In the event log; null before the first event. */
  readonly position: string | null;
  /** Null while the event log does not answer. */
  readonly lagEvents: number | null;
  /** The process that keeps it up to date, and since when; null where none does, or only one can. */
  readonly holder: string | null;
  readonly since: string | null;
  readonly pausedSince: string | null;
  /** Poison events: their streams are parked from there on. */
  readonly quarantined: readonly Quarantined[];
}

const linesOf = async (
  stores: Omit<OverviewOptions, 'projections' | 'projector'>,
): Promise<ListedBuild[]> => {
  const overview = await createOverview({ ...stores, projections, projector: { status: () => [] } })();
  const countAfter = countsAfter(stores.eventStore);
  const lines = overview.map(async ({ name, version, paused, builds }): Promise<ListedBuild[]> => {
    const pausedSince = paused?.since ?? null;
    const unbuilt = {
      id: null,
      version,
      state: 'live',
      position: null,
      lease: null,
      quarantined: [],
    } as const;
    const shown = builds.length > 0 ? builds : [{ ...unbuilt, lagEvents: await countAfter(START) }];
    return shown.map(({ id: build, lease, version: ofBuild, state, position, lagEvents, quarantined }) => ({
      projection: name,
      version: ofBuild,
      build,
      state,
      position,
      lagEvents,
      holder: lease?.holder ?? null,
      since: lease?.since ?? null,
      pausedSince,
      quarantined,
    }));
  });
  return (await Promise.all(lines)).flat();
};

/** Reads the files, whether the service runs or not, and makes none. */
const readFiles = async (events: SqliteFile, readModels: SqliteFile): Promise<ListedBuild[]> => {
  const head = existsSync(events.path) ? readEmbeddedHead(events.path) : 0;
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

const readServers = (stores: StoreSettings): Promise<ListedBuild[]> =>
  using(openEventStore(stores.eventStore), (eventStore) =>
    using(openReadModels(stores.readModels), ({ checkpoints, leases }) =>
      using(openBuildRegistry(stores.readModels), (registry) =>
        linesOf({ registry, checkpoints, leases, eventStore }),
      ),
    ),
  );

/** A table of builds; it names the process that keeps one up to date where any process is known. */
export const buildsTable = (lines: readonly ListedBuild[], screen: Screen): readonly string[] => {
  const isShared = lines.some(({ holder }) => holder);
  const rows = lines.map(
    ({ projection, version, build, state, position, lagEvents, holder, since, pausedSince }) => [
      build ?? `${projection}@${version}`,
      pausedSince === null ? state : `${state}, paused`,
      position ?? '-',
      lagEvents === null ? '?' : String(lagEvents),
      holder === null ? '' : `${holder}, ${since ?? ''}`,
    ],
  );
  const headings = ['build', 'state', 'position', 'lag', isShared ? 'kept by, since' : ''];
  return tableLines({ headings, rows, rightAligned: [headings.indexOf('lag')] }, screen);
};

/** `hiring projections list`: where every build of every projection stands, as a table or as JSON. */
export const listProjections = async (
  terminal: Terminal,
  { json }: { readonly json?: true },
): Promise<void> => {
  const { stores } = configOf(terminal);
  const { eventStore, readModels } = stores;
  const lines =
    eventStore.kind === 'sqlite' && readModels.kind === 'sqlite'
      ? await readFiles(eventStore, readModels)
      : await readServers(stores);
  const { stdout } = terminal;
  if (json) printJson(stdout, lines, 2);
  else print(stdout, buildsTable(lines, stdout));
};
