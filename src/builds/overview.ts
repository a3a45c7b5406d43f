import { Type, type Static } from '../schema/typebox.ts';
import { START_POSITION, type LogEventCounter, type Position } from '../event-store/port.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import type { Projection } from '../projector/projection.ts';
import type { ProjectionStatus } from '../projector/progress.ts';
import type { Checkpoint, LeaseStatus, ParkedStream } from '../read-models/port.ts';
import { nullable, object, Timestamp } from '../schema/schema.ts';
import { BuildStep, Verification, type Build, type ProjectionBuilds } from './build-schema.ts';
import type { BuildRegistry } from './registry.ts';
import { isPendingRelease } from '../projector/release.ts';

/** A build in one word: `live` is active, `kept` a standby build; `built` and `verified` are under way. */
const BuildState = Type.Enum(['live', 'kept', 'built', 'verified', 'differs', 'stopped'], { title: 'BuildState' });
export type BuildState = Static<typeof BuildState>;

const stateOfStep: Readonly<Record<BuildStep, BuildState>> = {
  build: 'built',
  verify: 'verified',
  differs: 'differs',
  stopped: 'stopped',
  ready: 'kept',
  discarded: 'kept',
};

const stateOf = ({ active }: ProjectionBuilds, { id, step }: Build): BuildState =>
  id === active ? 'live' : stateOfStep[step];

/** All builds but discarded ones, the active one first. */
export const shownBuilds = ({ active, builds }: ProjectionBuilds): Build[] =>
  builds.filter(({ step }) => step !== 'discarded').sort((a, b) => Number(b.id === active) - Number(a.id === active));

/** A poison event: its stream is parked from there on. */
export const ParkedStreamOverview = object(
  {
    stream: Type.String(),
    revision: Type.Integer(),
    position: Type.String(),
    type: Type.String(),
    error: Type.String(),
    stack: Type.String(),
    at: Timestamp,
    /** What an operator has asked to be done about it, until that is done. */
    request: Type.Enum(['none', 'retry', 'skip'], { title: 'ParkedStreamRequest' }),
  },
  { title: 'ParkedStream' },
);
export type ParkedStreamOverview = Static<typeof ParkedStreamOverview>;

/** A build's parked streams, with what is to be done about each. */
export const toParkedStreamOverviews = (
  { releases }: Pick<Build, 'releases'>,
  parked: readonly ParkedStream[],
): ParkedStreamOverview[] =>
  parked.map((each) => {
    const { event: _, release: __, underWay: ___, ...shown } = each;
    const due = releases.findLast((release) => isPendingRelease(release, [each]));
    return { ...shown, request: due?.kind ?? 'none' };
  });

const BuildOverview = object(
  {
    id: Type.String(),
    version: Type.Integer(),
    state: BuildState,
    step: BuildStep,
    purpose: Type.Enum(['serve', 'check'], {
      title: 'BuildPurpose',
      description: 'Whether it is to be served, or only compared with what is.',
    }),
    position: nullable(Type.String({ description: 'In the log; null before the first event.' })),
    lagEvents: nullable(Type.Integer({ description: 'Null while the log does not answer.' })),
    startedAt: Timestamp,
    throttle: nullable(Type.Integer({ description: 'Events a second at most.' })),
    keepHours: Type.Number(),
    isApproved: Type.Boolean(),
    isStrict: Type.Boolean(),
    stoppedBy: nullable(Type.String()),
    progress: nullable(
      object({ events: Type.Integer(), of: Type.Integer(), perSecond: Type.Number() }, { title: 'BuildProgress' }),
    ),
    verification: nullable(
      object(
        { at: Timestamp, position: Type.String(), total: Type.Integer({ description: 'How many documents differ.' }) },
        { title: 'BuildComparison' },
      ),
    ),
    lease: nullable(
      object(
        { holder: Type.String(), since: Timestamp },
        {
          title: 'BuildLease',
          description: 'The process that keeps it up to date; null where none does, or only one can.',
        },
      ),
    ),
    quarantined: Type.Array(ParkedStreamOverview, { description: 'Of parked streams.' }),
    keptUntil: nullable(Timestamp),
  },
  { title: 'Build' },
);

/** Since when, and by whom. */
export const Pause = object({ since: Timestamp, by: Type.String() }, { title: 'Pause' });

export const ProjectionOverview = object(
  {
    name: Type.String(),
    version: Type.Integer({ description: 'Of the code that answers.' }),
    live: nullable(Type.String({ description: 'The build that is served; null before the first.' })),
    paused: nullable(Pause),
    perSecond: nullable(Type.Number({ description: 'Events a second that the last whole build came to.' })),
    verified: nullable(
      object(
        { build: Type.String(), report: Verification },
        { title: 'VerifiedBuild', description: 'The last comparison.' },
      ),
    ),
    builds: Type.Array(BuildOverview),
  },
  { title: 'Projection' },
);
export type ProjectionOverview = Static<typeof ProjectionOverview>;

export interface OverviewOptions {
  readonly registry: Pick<BuildRegistry, 'all'>;
  readonly projections: readonly Pick<Projection, 'name' | 'version'>[];
  readonly projector: { status(): readonly ProjectionStatus[] };
  /** By build. */
  readonly checkpoints: () => Promise<ReadonlyMap<string, Checkpoint>>;
  /** By build; left out where only one process can keep projections. */
  readonly leases?: (() => Promise<ReadonlyMap<string, Pick<LeaseStatus, 'holder' | 'since'>>>) | undefined;
  readonly eventStore: Pick<LogEventCounter, 'countAfter'>;
}

/** Less than an operator is willing to wait. */
const COUNT_MS = 4_000;

/** Counts the events after positions, each once; null while the event log does not answer. */
export const createLagCounter = (eventStore: Pick<LogEventCounter, 'countAfter'>) => {
  const counts = new Map<Position, Promise<number | null>>();
  return (position: Position): Promise<number | null> => {
    let count = counts.get(position);
    if (!count) {
      count = withTimeout(eventStore.countAfter(position), COUNT_MS, 'The log does not answer').catch(() => null);
      counts.set(position, count);
    }
    return count;
  };
};

/** Tells where every build of every projection stands, the active one first. */
export const createOverviewReader = (options: OverviewOptions) => {
  const { registry, projections, projector, checkpoints, leases, eventStore } = options;

  return async (): Promise<ProjectionOverview[]> => {
    const records = await registry.all();
    const stored = await checkpoints();
    const positions = new Map([...stored].map(([build, { position }]) => [build, position]));
    // The projector's position is newer, and never behind what is stored.
    for (const { build, position } of projector.status()) if (build) positions.set(build, position);
    const holders = await leases?.();
    const countAfter = createLagCounter(eventStore);

    const describe = async (record: ProjectionBuilds, build: Build): Promise<Static<typeof BuildOverview>> => {
      const { id, version, threads: _threads, releases: _releases, verification, ...shown } = build;
      const position = positions.get(id) ?? START_POSITION;
      const { holder, since } = holders?.get(id) ?? {};
      return {
        id,
        version,
        state: stateOf(record, build),
        ...shown,
        position: position === START_POSITION ? null : position,
        lagEvents: await countAfter(position),
        verification: verification && {
          at: verification.at,
          position: verification.position,
          total: verification.total,
        },
        lease: holder != null && since != null ? { holder, since } : null,
        quarantined: toParkedStreamOverviews(build, stored.get(id)?.parked ?? []),
      };
    };

    const describeProjection = async ({ name, version }: Pick<Projection, 'name' | 'version'>) => {
      const record = records.get(name);
      if (!record) return { name, version, live: null, paused: null, perSecond: null, verified: null, builds: [] };
      const { active, paused, perSecond, verified } = record;
      const builds = await Promise.all(shownBuilds(record).map((build) => describe(record, build)));
      return { name, version, live: active, paused, perSecond, verified, builds };
    };
    return Promise.all(projections.map(describeProjection));
  };
};
