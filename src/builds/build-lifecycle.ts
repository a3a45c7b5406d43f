import { setTimeout as delay } from 'node:timers/promises';
import { START_POSITION, type EventLog, type LogEventCounter } from '../event-store/port.ts';
import type { RunAudited } from '../audit/audited.ts';
import type { Projection } from '../projector/projection.ts';
import type { Projector } from '../projector/projector.ts';
import { DamagedBuildError, type ReadModelStore } from '../read-models/port.ts';
import type { Build, ProjectionBuilds, Verification } from './build-schema.ts';
import { changeRecord, requireRecord, type BuildRegistry } from './registry.ts';
import { createProgressRecorder } from './progress-recorder.ts';
import { activeBuild, findBuild } from './projection-builds.ts';
import { applyVerification, forgetBuild, setBuildStep, activateBuild } from './transitions.ts';
import { verifyBuild } from './verify.ts';

export interface BuildLifecycleOptions {
  readonly registry: BuildRegistry;
  readonly eventStore: Pick<EventLog, 'head'> & Pick<LogEventCounter, 'countOf' | 'shareOf'>;
  readonly readModels: ReadModelStore;
  readonly projector: Pick<Projector, 'status' | 'buildAnew'>;
  /** Records what is served from then on, as an act of the projector. */
  readonly audited: RunAudited;
  /** RFC 3339 */
  readonly now: () => string;
  /** Told of each changed record. */
  readonly onRecord: (record: ProjectionBuilds) => void;
  readonly signal: AbortSignal;
}

const CATCH_UP_MS = 5_000;
const PAUSE_MS = 5;

/** Whether no request since a record was read affects which build is to be served. */
const isAsRead = (record: ProjectionBuilds, read: ProjectionBuilds): boolean =>
  record.active === read.active &&
  record.paused === null &&
  read.builds.every(({ id, releases }) => findBuild(record, id)?.releases.at(-1)?.number === releases.at(-1)?.number);

/** Takes builds from step to step. */
export const createBuildLifecycle = (options: BuildLifecycleOptions) => {
  const { registry, eventStore, readModels, projector, audited, now, onRecord, signal } = options;
  const measure = createProgressRecorder({ registry, eventStore, now });

  type Transition = (record: ProjectionBuilds) => ProjectionBuilds;
  const change = async (name: string, act: Transition): Promise<ProjectionBuilds> => {
    const record = await changeRecord(registry, name, act);
    onRecord(record);
    return record;
  };

  /**
   * A change that may make a build the active one, which is then recorded first. It changes nothing if an operator has
   * changed the record since it was read: the next poll begins the step again.
   */
  const conclude = async (read: ProjectionBuilds, id: string, transition: Transition): Promise<void> => {
    const { name } = read;
    const act: Transition = (record) => (isAsRead(record, read) ? transition(record) : record);
    const before = requireRecord(name, (await registry.all()).get(name));
    if (act(before).active !== id) {
      // If an operator has approved it meanwhile, nothing changes: it is compared again, then the switch is recorded.
      await change(name, (record) => {
        const after = act(record);
        return after.active === id ? record : after;
      });
      return;
    }
    await audited(
      { operation: 'switch', parameters: { projections: [name], build: id, replaces: before.active } },
      () => change(name, act),
      ({ active }) => (active === id ? null : `${active} is still served: something else was asked for meanwhile`),
    );
  };

  /** Whether a build is complete, and as far as the active one: a client must not see less after the switch. */
  const isLevel = async (id: string, active: string, withinMs = 0): Promise<boolean> => {
    const end = performance.now() + withinMs;
    for (;;) {
      const { position = START_POSITION } = (await readModels.checkpointOf(active)) ?? {};
      const own = await readModels.checkpointOf(id);
      if (own?.isBuilt && own.position >= position) return true;
      if (performance.now() >= end || signal.aborted) return false;
      await delay(PAUSE_MS);
    }
  };

  /** A damaged build is built anew at once, and nothing is compared with it. */
  const onDamaged = async (record: ProjectionBuilds, { id, purpose }: Build, damaged: string): Promise<void> => {
    projector.buildAnew(damaged);
    if (damaged !== record.active) return;
    if (purpose === 'serve') {
      await conclude(record, id, (before) => activateBuild(before, id, now()));
      return;
    }
    while (!signal.aborted && !(await readModels.checkpointOf(damaged))?.isBuilt) await delay(PAUSE_MS);
    const stoppedBy = `what was stored of ${damaged} was damaged: it was set aside and built anew`;
    await change(record.name, (before) => setBuildStep(before, id, 'stopped', { stoppedBy }));
  };

  const compare = async (projection: Projection, record: ProjectionBuilds, build: Build): Promise<void> => {
    const { id } = build;
    let report: Verification;
    try {
      report = await verifyBuild(readModels, projection, { active: record.active, built: id }, { now, signal });
    } catch (error) {
      if (!(error instanceof DamagedBuildError)) throw error;
      await onDamaged(record, build, error.build);
      return;
    }
    if (await isLevel(id, record.active, CATCH_UP_MS))
      await conclude(record, id, (before) => applyVerification(before, id, report, now()));
  };

  return {
    /** Takes a build that is applied here one step on; resolves when its step is done or not yet due. */
    async advance(projection: Projection, record: ProjectionBuilds, build: Build): Promise<void> {
      const { name } = projection;
      const { id } = build;
      const status = projector.status().find((each) => each.name === id);
      if (!status?.isHere) return;
      if (status.stopped === (build.isStrict ? 'strict' : 'tolerant')) {
        const stoppedBy = status.lastError ?? '';
        // The active build goes on when it can: its error is only noted.
        const step = id === record.active ? build.step : 'stopped';
        // Meanwhile an operator may have asked for it again, so that it only parks streams.
        const isAsStrict = (before: ProjectionBuilds) => findBuild(before, id)?.isStrict === build.isStrict;
        if (step !== build.step || stoppedBy !== build.stoppedBy)
          await change(name, (before) => (isAsStrict(before) ? setBuildStep(before, id, step, { stoppedBy }) : before));
      } else if (build.step === 'build') {
        const isBehind = !status.isBuilt || !(await isLevel(id, record.active));
        await measure.note(name, projection, build, status, { isLast: !isBehind });
        if (isBehind) return;
        if (id === record.active)
          await change(name, (before) => setBuildStep(before, id, 'ready', { stoppedBy: null }));
        else if (build.purpose === 'serve' && activeBuild(record).version < build.version)
          // Not compared: a new version is to differ.
          await conclude(record, id, (before) => activateBuild(before, id, now()));
        else await change(name, (before) => setBuildStep(before, id, 'verify'));
      } else if (build.step === 'verify' && status.isBuilt) {
        await compare(projection, record, build);
      }
    },

    /** Drops the documents of builds that are not needed any more, and forgets those builds. */
    async drop({ name }: ProjectionBuilds, builds: readonly Build[]): Promise<void> {
      for (const { id } of builds) {
        await readModels.drop(id);
        await change(name, (before) => forgetBuild(before, id));
      }
    },
  };
};
