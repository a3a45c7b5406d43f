import type { RunAudited } from '../../src/audit/audited.ts';
import type { BuildRegistry } from '../../src/builds/registry.ts';
import { createBuildReconciler } from '../../src/builds/build-reconciler.ts';
import type { EventStore } from '../../src/event-store/port.ts';
import type { Projection } from '../../src/projector/projection.ts';
import { startProjector } from '../../src/projector/projector.ts';
import type { ReadModelStore } from '../../src/read-models/port.ts';
import { newStage, type Stage } from './projector-stage.ts';

/** A projector with its reconciler, as a process has them. */
export interface RunningReconciler {
  readonly isCaughtUp: () => boolean;
  readonly wake: () => void;
  readonly stop: () => Promise<void>;
}

export interface ReconcilerRunOptions {
  readonly registry: BuildRegistry;
  readonly eventStore: EventStore;
  readonly readModels: ReadModelStore;
  readonly projections: readonly Projection[];
  readonly onError?: (projection: string, error: unknown) => void;
  readonly now?: () => string;
  /** By default nothing is recorded. */
  readonly audited?: RunAudited;
  /** Both by default as long as a reconciler takes from one look to the next while something is under way. */
  readonly pauseAfterFailureMs?: number;
  readonly idleMs?: number;
  readonly notify?: () => void;
  readonly batchSize?: number;
  readonly maxWaiting?: number;
  readonly maxDocuments?: number;
}

/** Starts projector and reconciler. @throws the errors of a store at its start */
export const startReconciler = async ({
  registry,
  eventStore,
  readModels,
  projections,
  onError = () => undefined,
  now = () => new Date().toISOString(),
  audited = (_act, perform) => perform(''),
  pauseAfterFailureMs = 50,
  idleMs = 50,
  notify = () => undefined,
  ...sizes
}: ReconcilerRunOptions): Promise<RunningReconciler> => {
  const stopping = new AbortController();
  const projector = await startProjector({
    eventStore,
    readModels,
    projections: [],
    onError,
    parkedAt: now,
    retryAfterMs: { min: 1, max: 8 },
    retryEventAfterMs: 0,
    ...sizes,
  });
  const reconciler = createBuildReconciler({
    registry,
    eventStore,
    readModels,
    projector,
    projections,
    audited,
    now,
    onError,
    onBuild: () => undefined,
    notify,
    pauseAfterFailureMs,
    idleMs,
    signal: stopping.signal,
  });
  await reconciler.start().catch(async (error: unknown) => {
    await projector.stop();
    throw error;
  });
  const running = reconciler.run();
  return {
    isCaughtUp: () => reconciler.isCaughtUp(),
    wake: () => reconciler.wake(),
    async stop() {
      stopping.abort();
      await running;
      await projector.stop();
    },
  };
};

/** The options of a rebuild. Approved, since the documents of `closings` depend on how often it has applied events. */
export const asked = { throttle: null, keepHours: 0, isApproved: true, isStrict: true };
export const now = () => new Date().toISOString();

/** A stage for each test of a suite, and the processes to stop after it. */
export const stageForEach = () => {
  const current: { stage: Stage; stops: (() => Promise<void>)[] } = { stage: newStage(), stops: [] };
  beforeEach(() => {
    current.stage = newStage();
    current.stops = [];
  });
  afterEach(async () => {
    await current.stage.end();
    for (const stop of current.stops) await stop();
  });
  return current;
};
