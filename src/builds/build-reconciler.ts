import { setTimeout as delay } from 'node:timers/promises';
import { AnotherLogError, toLogIdentityReader, compareLogIdentity } from '../event-store/identity.ts';
import { START_POSITION, type EventLog, type Position } from '../event-store/port.ts';
import type { Projection } from '../projector/projection.ts';
import type { ProjectionAssignment } from '../projector/runner.ts';
import type { ProjectionStatus } from '../projector/progress.ts';
import type { Projector } from '../projector/projector.ts';
import type { Checkpoint } from '../read-models/port.ts';
import { toBuildProjection } from '../projector/build-projection.ts';
import type { Build, ProjectionBuilds } from './build-schema.ts';
import type { StreamRelease } from '../projector/release.ts';
import { pendingReleases } from './releases.ts';
import { buildMilestonesBetween, type BuildMilestone } from './build-milestones.ts';
import { createBuildLifecycle, type BuildLifecycleOptions } from './build-lifecycle.ts';
import { activeBuild, droppableBuilds, appliedBuilds, servedBuild } from './projection-builds.ts';
import { createProjectionBuilds, discardExpiredBuilds, beginVersionBuild } from './transitions.ts';

interface BuildReconcilerOptions extends Omit<BuildLifecycleOptions, 'projector' | 'onRecord'> {
  readonly eventStore: BuildLifecycleOptions['eventStore'] & Pick<EventLog, 'readAll' | 'recordAt'>;
  readonly projector: Pick<Projector, 'keep' | 'status' | 'release' | 'buildAnew'>;
  readonly projections: readonly Projection[];
  /** `name` is a projection's, or `all`. */
  readonly onError: (name: string, error: unknown) => void;
  readonly onBuild: (change: BuildMilestone) => void;
  /** Called when records may have changed, as when another build becomes active or a projection is paused. */
  readonly notify: () => void;
  readonly pauseAfterFailureMs?: number;
  readonly idleMs?: number;
}

/** From one look at the build registry to the next while a build or a release is under way. */
const BUSY_MS = 50;
/** While none is: what another process asks for is seen after so long at most. */
const IDLE_MS = 1_000;
const PAUSE_AFTER_FAILURE_MS = 1_000;

/**
 * Has the projector apply what the build registry says, and takes each build from step to step: built, verified, made
 * active in place of the one before, and dropped. The next step is always read from the build registry, so that any
 * instance can go on after an interruption.
 */
export const createBuildReconciler = (options: BuildReconcilerOptions) => {
  const { registry, eventStore, readModels, projector, projections, now, onError, onBuild, notify, signal } = options;
  const { pauseAfterFailureMs = PAUSE_AFTER_FAILURE_MS, idleMs = IDLE_MS } = options;
  let records: ReadonlyMap<string, ProjectionBuilds> = new Map();
  /** Tells of what has happened to builds since the records before. */
  const setRecords = (next: ReadonlyMap<string, ProjectionBuilds>): void => {
    for (const change of buildMilestonesBetween(records, next)) onBuild(change);
    records = next;
  };
  let headAtStart: Position = START_POSITION;
  /** Of served builds that are not applied here. */
  const elsewhere = new Map<string, Checkpoint>();
  const working = new Map<string, Promise<void>>();
  let woken = new AbortController();
  const wake = (): void => woken.abort();

  const recordOf = ({ name }: Projection): ProjectionBuilds | undefined => records.get(name);

  const targetsNow = (): ProjectionAssignment[] =>
    projections.flatMap((projection) => {
      const record = recordOf(projection);
      if (!record) return [];
      return appliedBuilds(record, projection.version).map(({ id, step, throttle, threads, isStrict }) => ({
        projection: toBuildProjection(projection, id),
        isApart: step !== 'ready' && id !== record.active,
        isStrict: isStrict && id !== record.active,
        throttle: step === 'build' ? (throttle ?? undefined) : undefined,
        threads,
      }));
    });

  /** @throws AnotherLogError where builds are known to be of another event log than is there */
  const refuseAnotherLog = async (): Promise<void> => {
    const first = await registry.firstOfLog();
    const comparison = await compareLogIdentity({ first, last: null }, toLogIdentityReader(eventStore));
    if (comparison.kind === 'other' || comparison.kind === 'gone') throw new AnotherLogError(comparison);
  };

  /** Gives every projection a record and a build of its version, and discards builds that were kept long enough. */
  const tidy = async (): Promise<void> => {
    for (const { name, version } of projections) {
      const act = (before: ProjectionBuilds | undefined): ProjectionBuilds =>
        before
          ? discardExpiredBuilds(beginVersionBuild(before, version, now()), version, now())
          : createProjectionBuilds(name, version, now());
      const before = records.get(name);
      const record = before && act(before) === before ? before : await registry.change(name, act);
      setRecords(new Map(records).set(name, record));
    }
  };

  let targetsKey = '';
  let seenKey = '';
  /** Targets change once they have stood for one look, so that builds asked for together begin together. */
  const setTargets = async (isSteady: boolean): Promise<void> => {
    const targets = targetsNow();
    const key = JSON.stringify(targets.map(({ projection: { name }, ...how }) => ({ name, ...how })));
    const isToSet = key !== targetsKey && (isSteady || key === seenKey);
    seenKey = key;
    if (!isToSet) return;
    // Where it fails, some of it may be done.
    targetsKey = '';
    await projector.keep(targets);
    targetsKey = key;
  };

  const statuses = () => new Map(projector.status().map((status) => [status.name, status]));

  /** Reads checkpoints of served builds that are not applied here, because of their version or a pause. */
  const lookElsewhere = async (): Promise<void> => {
    const here = statuses();
    for (const { name, version } of projections) {
      const record = records.get(name);
      if (!record) continue;
      const { id } = servedBuild(record, version);
      const checkpoint = here.has(id) ? undefined : await readModels.checkpointOf(id);
      if (checkpoint) elsewhere.set(id, checkpoint);
      else elsewhere.delete(id);
    }
  };

  const steps = createBuildLifecycle({
    ...options,
    onRecord: (record) => {
      setRecords(new Map(records).set(record.name, record));
      notify();
    },
  });

  const work = (): void => {
    const here = statuses();
    for (const projection of projections) {
      const record = recordOf(projection);
      if (!record) continue;
      const begin = (key: string, act: () => Promise<void>) => {
        if (working.has(key)) return;
        const task = act()
          .catch(async (error: unknown) => {
            if (signal.aborted) return;
            onError(projection.name, error);
            await delay(pauseAfterFailureMs, undefined, { signal }).catch(() => undefined);
          })
          .finally(() => working.delete(key));
        working.set(key, task);
      };
      const dueOf = (build: Build): StreamRelease[] => {
        const { isBuilt = false, parked = [] } = here.get(build.id) ?? {};
        return build.step === 'build' && !isBuilt ? [] : pendingReleases(build, parked);
      };
      for (const build of appliedBuilds(record, projection.version)) {
        const { id, step } = build;
        const due = dueOf(build);
        const release = async () => {
          for (const each of due) await projector.release(id, each);
        };
        if (due.length > 0 && here.get(id)?.isHere) begin(`release ${id}`, release);
        // Releases come first: in both builds before they are compared, in the build to be served before the switch.
        const isToWait = due.length > 0 || (step === 'verify' && dueOf(activeBuild(record)).length > 0);
        if ((step === 'build' || step === 'verify') && !isToWait)
          begin(id, () => steps.advance(projection, record, build));
      }
      // A projector that still applies a build would make its documents anew.
      const droppable = droppableBuilds(record, now()).filter(({ id }) => !here.has(id));
      if (here.get(record.active)?.isHere !== false && droppable.length > 0)
        begin(`drop ${record.name}`, () => steps.drop(record, droppable));
    }
  };

  const positionOf = (id: string, all: ReadonlyMap<string, ProjectionStatus>): Position =>
    all.get(id)?.position ?? elsewhere.get(id)?.position ?? START_POSITION;

  const statusOf = (projection: Projection, all: ReadonlyMap<string, ProjectionStatus>): ProjectionStatus => {
    const { name, version } = projection;
    const record = recordOf(projection);
    const build = record && servedBuild(record, version);
    const status = build && all.get(build.id);
    return {
      name,
      version: build?.version ?? version,
      position: build ? positionOf(build.id, all) : START_POSITION,
      errors: status?.errors ?? 0,
      lastError: status?.lastError,
      build: build?.id,
      // Only once it is applied no more: a client that is told of the pause must not see later events.
      isPaused: record?.paused != null && !status,
      parked: status?.parked ?? elsewhere.get(build?.id ?? '')?.parked ?? [],
      ...(status?.gaveUp !== undefined && { gaveUp: status.gaveUp }),
      ...(status?.lease && { lease: status.lease }),
    };
  };

  return {
    /** Makes the projector begin with the current targets. */
    async start(): Promise<void> {
      headAtStart = await eventStore.head();
      await refuseAnotherLog();
      records = await registry.all();
      await tidy();
      await setTargets(true);
      await lookElsewhere();
    },
    /** Has it look at the build registry at once. */
    wake,
    /** Reads the build registry again and again until the signal is aborted. */
    async run(): Promise<void> {
      signal.addEventListener('abort', wake);
      let failures = 0;
      while (!signal.aborted) {
        const failuresBefore = failures;
        // Before the records are read, so that what is written meanwhile is seen by the next look.
        woken = new AbortController();
        const failed = (error: unknown): void => {
          onError('all', error);
          failures++;
        };
        try {
          const before = records;
          setRecords(await registry.all());
          await tidy();
          // Targets that cannot begin do not hold up the steps of builds.
          await setTargets(false).catch(failed);
          await lookElsewhere();
          work();
          // The failures that were reported are over.
          const isBack = failures > 0 && failures === failuresBefore;
          if (isBack) failures = 0;
          if (isBack || JSON.stringify([...before.values()]) !== JSON.stringify([...records.values()])) notify();
        } catch (error) {
          failed(error);
        }
        // What is under way was begun just now, or goes on.
        const isIdle = working.size === 0 && seenKey === targetsKey;
        const pause = failures > failuresBefore ? pauseAfterFailureMs : isIdle ? idleMs : BUSY_MS;
        await delay(pause, undefined, { signal: woken.signal }).catch(() => undefined);
      }
      await Promise.all(working.values());
    },
    /** Where the served builds stand. */
    status: (): ProjectionStatus[] => {
      const all = statuses();
      return projections.map((projection) => statusOf(projection, all));
    },
    /**
     * Whether all served builds are complete, here or elsewhere, and have reached what was the head at the start. A
     * complete one that is paused, or that a newer version is to replace, need not have reached it. One of newer code
     * does not count: this code cannot serve its documents.
     */
    isCaughtUp: (): boolean => {
      const all = statuses();
      return projections.every((projection) => {
        const record = recordOf(projection);
        if (!record) return false;
        const { id, step, version } = servedBuild(record, projection.version);
        // The step, not where the build stands: operators' acts, such as a verification, go by it.
        if (version > projection.version || step !== 'ready') return false;
        const position = positionOf(id, all);
        const isLateOnPurpose = record.paused !== null || version < projection.version;
        return position >= headAtStart || (isLateOnPurpose && position > START_POSITION);
      });
    },
  };
};
