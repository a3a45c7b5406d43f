import { existsSync } from 'node:fs';
import { projections } from '../../../projections/index.ts';
import type { Build, RegistryRecord } from '../../build-registry/build.ts';
import {
  countsAfter,
  quarantinedIn,
  shownBuilds,
  stateOf,
  type BuildState,
  type Quarantined,
} from '../../rebuilds/overview.ts';
import { readEmbeddedHead } from '../../event-store/embedded/event-store.ts';
import { START, type Position } from '../../event-store/port.ts';
import type { Projection } from '../../projector/projection.ts';
import { readEmbeddedCheckpoints } from '../../read-models/embedded/file-readers.ts';
import type { Checkpoint, LeaseStatus } from '../../read-models/port.ts';
import {
  registryFile,
  openBuildRegistry,
  openEventStore,
  openReadModels,
  type SqliteFile,
  type StoreSettings,
} from '../../stores.ts';
import { storesOfEnvironment } from './operating.ts';

interface Line {
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

/** What the stores tell of builds. */
interface Known {
  readonly entries: ReadonlyMap<string, RegistryRecord>;
  readonly statusOf: (build: string) => Pick<LeaseStatus, 'position' | 'holder' | 'since'>;
  readonly checkpoints: ReadonlyMap<string, Checkpoint>;
  readonly lagOf: (position: Position) => number | Promise<number | null>;
}

const linesOf = async (
  { name, version }: Projection,
  { entries, statusOf, checkpoints, lagOf }: Known,
): Promise<Line[]> => {
  const entry = entries.get(name);
  const pausedSince = entry?.paused?.since ?? null;
  const lineOf = async (
    build: string | null,
    of: number,
    state: BuildState,
    quarantined: readonly Quarantined[] = [],
  ): Promise<Line> => {
    const { position, holder, since } = statusOf(build ?? '');
    const at = position === START ? null : position;
    const lagEvents = await lagOf(position);
    return {
      projection: name,
      version: of,
      build,
      state,
      position: at,
      lagEvents,
      holder,
      since,
      pausedSince,
      quarantined,
    };
  };
  const parkedIn = (build: Build) => quarantinedIn(build, checkpoints.get(build.id)?.parked ?? []);
  if (!entry) return [await lineOf(null, version, 'live')];
  return Promise.all(
    shownBuilds(entry).map((build) =>
      lineOf(build.id, build.version, stateOf(entry, build), parkedIn(build)),
    ),
  );
};

const allLines = async (known: Known): Promise<Line[]> =>
  (await Promise.all(projections.map((projection) => linesOf(projection, known)))).flat();

/** Reads the files, whether the service runs or not, and makes none. */
const readFiles = async (events: SqliteFile, readModels: SqliteFile): Promise<Line[]> => {
  const head = existsSync(events.path) ? readEmbeddedHead(events.path) : 0;
  if (!existsSync(registryFile(readModels)))
    return allLines({
      entries: new Map(),
      statusOf: () => ({ position: START, holder: null, since: null }),
      checkpoints: new Map(),
      lagOf: () => head,
    });
  const checkpoints = readEmbeddedCheckpoints(readModels.path);
  const registry = await openBuildRegistry(readModels);
  try {
    return await allLines({
      entries: await registry.all(),
      statusOf: (build) => ({
        position: checkpoints.get(build)?.position ?? START,
        holder: null,
        since: null,
      }),
      checkpoints,
      lagOf: (position) => Math.max(0, head - Number(position)),
    });
  } finally {
    await registry.close();
  }
};

const readServers = async (stores: StoreSettings): Promise<Line[]> => {
  const eventStore = await openEventStore(stores.eventStore);
  const readModels = await openReadModels(stores.readModels);
  const registry = await openBuildRegistry(stores.readModels);
  try {
    const leases = await readModels.leases?.();
    const checkpoints = await readModels.checkpoints();
    return await allLines({
      entries: await registry.all(),
      statusOf: (build) => ({
        position: checkpoints.get(build)?.position ?? START,
        ...(leases?.get(build) ?? { holder: null, since: null }),
      }),
      checkpoints,
      lagOf: countsAfter(eventStore),
    });
  } finally {
    await registry.close();
    await readModels.close();
    await eventStore.close();
  }
};

const LAG = 3;
const row = (cells: readonly string[], widths: readonly number[]): string =>
  cells
    .map((cell, at) => (at === LAG ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
    .join('  ')
    .trimEnd();

const toTable = (lines: readonly Line[]): string => {
  const isShared = lines.some(({ holder }) => holder);
  const head = ['build', 'state', 'position', 'lag', isShared ? 'kept by, since' : ''];
  const cells = lines.map(
    ({ projection, version, build, state, position, lagEvents, holder, since, pausedSince }) => [
      build ?? `${projection}@${version}`,
      pausedSince === null ? state : `${state}, paused`,
      position ?? '-',
      lagEvents === null ? '?' : String(lagEvents),
      holder === null ? '' : `${holder}, ${since ?? ''}`,
    ],
  );
  const all = [head, ...cells];
  const widths = head.map((_, index) => Math.max(...all.map((each) => each[index]?.length ?? 0)));
  return all.map((each) => `${row(each, widths)}\n`).join('');
};

/** `hiring projections list`: where every build of every projection stands, as a table or as JSON. */
export const listProjections = async ({ json }: { readonly json?: true }): Promise<void> => {
  const stores = storesOfEnvironment();
  const { eventStore, readModels } = stores;
  const lines =
    eventStore.kind === 'sqlite' && readModels.kind === 'sqlite'
      ? await readFiles(eventStore, readModels)
      : await readServers(stores);
  process.stdout.write(json ? `${JSON.stringify(lines, null, 2)}\n` : toTable(lines));
};
