import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { createAudit } from '../audit/audited.ts';
import { AnotherLogError } from '../event-store/identity.ts';
import { createBuildReconciler } from '../builds/build-reconciler.ts';
import { createLocalGroupApplier } from '../projector/apply-groups.ts';
import { createThreadedGroupApplier } from './apply-in-thread.ts';
import { toSerializedError } from '../lib/serialized-error.ts';
import { StreamParkedError } from '../projector/parked-streams.ts';
import { createProjectionTracker, type ProjectionTracker } from '../projector/progress.ts';
import { startProjector } from '../projector/projector.ts';
import type { TaskContext, TaskHandler } from '../lib/worker-task.ts';
import type { Projection } from '../projector/projection.ts';
import type { ProjectorInput, ProjectorProtocol } from './messages.ts';
import { withChangeTracking } from '../read-models/change-tracking.ts';
import {
  unreachableServerMessageOf,
  openBuildRegistry,
  openConcurrentEventLog,
  openReadModelStore,
} from '../stores.ts';

const RETRY_MS = 1_000;
/** Who makes a build the active one, once it is what an operator asked for. */
const PROJECTOR_ACTOR = 'service:projector';

const now = (): string => new Date().toISOString();

/**
 * Runs a projector, which reads the event log and holds the only connection that writes read models, until it is
 * cancelled. It waits for a server that does not answer.
 */
const runProjector = async (
  projections: readonly Projection[],
  groupApplierThread: URL,
  { stores: settings, servesRequests, telemetry: variables }: ProjectorInput,
  { signal, post, onMessage }: TaskContext<ProjectorProtocol>,
): Promise<void> => {
  const eventStore = await openConcurrentEventLog(settings.eventStore, (error) =>
    post({ kind: 'dropped', error: toSerializedError(error) }),
  );
  const onWarning = (line: string): void => post({ kind: 'warned', line });
  const onError = (build: string, error: unknown): void => {
    if (error instanceof StreamParkedError) {
      const { event: id, error: failure, ...place } = error.poison;
      post({ kind: 'parked', parked: { build, id, ...place, error: toSerializedError(failure) } });
      return;
    }
    post({
      kind: 'failed',
      build,
      error: toSerializedError(error),
      waitsFor: unreachableServerMessageOf(error),
      isOfAnotherLog: error instanceof AnotherLogError,
    });
  };
  const readModels = await openReadModelStore(settings.readModels, onWarning);
  const { store: noted, drain: drainTouched } = withChangeTracking(readModels);
  const telemetry =
    variables &&
    (await import('../telemetry/sdk.ts')).startTelemetry(variables, (error) =>
      onWarning(`What the projector traces cannot be exported: ${toSerializedError(error).message}`),
    );
  const registry = await openBuildRegistry(settings.readModels, onWarning);

  const begin = async () => {
    const projector = await startProjector({
      eventStore,
      readModels: noted,
      projections: [],
      onError,
      parkedAt: now,
      applyGroups: createThreadedGroupApplier(
        groupApplierThread,
        settings,
        createLocalGroupApplier({ eventStore, readModels }),
        servesRequests,
      ),
    });
    const reconcilerProgress = createProjectionTracker(() => reconciler.status());
    const reconciler = createBuildReconciler({
      registry,
      eventStore,
      readModels: noted,
      projector,
      projections,
      audited: createAudit(eventStore)({ actor: PROJECTOR_ACTOR }),
      now,
      onError,
      onBuild: (change) => post({ kind: 'build', change }),
      notify: reconcilerProgress.notify,
      signal,
    });
    try {
      await reconciler.start();
    } catch (error) {
      // Where leases cannot be given back either, the first error tells more.
      await projector.stop().catch(() => undefined);
      throw error;
    }
    return { projector, reconciler, reconciling: reconcilerProgress.progress };
  };
  type Running = Awaited<ReturnType<typeof begin>>;

  /** Waits for a server that does not answer; any other error that keeps the projector from starting is thrown. */
  const start = async (): Promise<Running | undefined> => {
    while (!signal.aborted) {
      try {
        return await begin();
      } catch (error) {
        if (unreachableServerMessageOf(error) === undefined) throw error;
        onError('all', error);
        await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
    return undefined;
  };

  /** Reports changes until the projector is to stop. */
  const report = async ({ projector, reconciler, reconciling }: Running): Promise<void> => {
    const postStatus = (): void => {
      const status = reconciler.status();
      const served = new Map(status.flatMap(({ name, build }) => (build ? [[name, build] as const] : [])));
      post({ kind: 'stored', status, isCaughtUp: reconciler.isCaughtUp(), served, touched: drainTouched() });
    };
    const postAfter = async ({ next }: Pick<ProjectionTracker, 'next'>): Promise<void> => {
      while (!signal.aborted) {
        await next(signal);
        // Changes of several projections by one batch make one message.
        await setImmediate();
        postStatus();
      }
    };
    postStatus();
    try {
      await Promise.all([postAfter(projector), postAfter(reconciling), reconciler.run()]);
    } finally {
      await projector.stop();
    }
  };

  const starting = start();
  let look: () => void = () => undefined;
  onMessage((message) => {
    switch (message.kind) {
      case 'appended':
        eventStore.advance(message.position);
        return;
      case 'damaged':
        void starting
          .then((running) => running?.projector.setAside(message.build))
          .catch((error: unknown) => onError(message.build, error));
        return;
      case 'registry-changed':
        look();
    }
  });
  const running = await starting;
  if (running) {
    look = running.reconciler.wake;
    await report(running);
  }
  await readModels.close();
  await registry.close();
  await eventStore.close();
  await telemetry?.stop();
};

/** Keeps some projections up to date. @param groupApplierThread the module of the threads that apply builds' events */
export const createProjectorTaskHandler = (
  projections: readonly Projection[],
  groupApplierThread: URL,
): TaskHandler<ProjectorProtocol> => ({
  run: (input, context) => runProjector(projections, groupApplierThread, input, context),
});
