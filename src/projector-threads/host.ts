import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ServedBuildIds } from '../projector/build-projection.ts';
import type { Position } from '../event-store/port.ts';
import type { Projector } from '../projector/projector.ts';
import { createProjectionTracker, type ProjectionTracker, type ProjectionStatus } from '../projector/progress.ts';
import type { ProjectorReport, ParkedEvent, ProjectorProtocol } from './messages.ts';
import type { HangStateListener } from '../lib/heartbeat.ts';
import { fromSerializedError } from '../lib/serialized-error.ts';
import { isOutOfMemory, type StartWorker } from '../lib/worker-client.ts';
import type { BuildMilestone } from '../builds/build-milestones.ts';
import { createStatusTracker } from './status-tracker.ts';
import type { ChangesByCollection } from '../read-models/port.ts';
import type { StoreSettings } from '../stores.ts';
import type { TelemetryVariables } from '../telemetry/settings.ts';

export interface HostedProjector extends ProjectionTracker, Pick<Projector, 'stop'> {
  /** Whether queries of all projections may be answered, or of some. */
  isCaughtUp(names?: readonly string[]): boolean;
  served(): ServedBuildIds;
  /** What keeps the projector from starting, in words for any client; undefined while nothing does. */
  waitsFor(): string | undefined;
  /** To be called after each append with its position: SQLite notifies no reader. */
  appended(position: Position): void;
  /** To be called when a reader has found the file of a build damaged. */
  damaged(build: string): void;
  /** To be called when this process has changed the build registry. */
  registryChanged(): void;
  /** Tells a listener what is stored from now on, each time before `status` shows it. */
  watch(listener: (touched: ChangesByCollection) => void): void;
}

export interface HostOptions {
  readonly stores: StoreSettings;
  /** Whether this process answers requests: the threads of builds have a lower priority then. */
  readonly servesRequests: boolean;
  /** Left out: nothing is exported. */
  readonly telemetry?: TelemetryVariables | undefined;
  /** What is shown before the thread has reported. */
  readonly projections: readonly Pick<ProjectionStatus, 'name' | 'version'>[];
  /** `build` is the id of one, a projection's name, or `all`. */
  readonly onError: (build: string, error: unknown) => void;
  /** A subscription of the event log was dropped; it resumes by itself. */
  readonly onDropped: (error: unknown) => void;
  readonly onWarning: (line: string) => void;
  /** The event log is not the one that the builds are of. */
  readonly onAnotherLog?: (() => void) | undefined;
  /** A stream was parked at an event that cannot be applied. */
  readonly onParked: (parked: ParkedEvent) => void;
  readonly onBuild: (change: BuildMilestone) => void;
  /** The thread has ended by itself and is started again. */
  readonly onEnded: (reason: Error) => void;
  /** The thread hangs, or answers again. */
  readonly onHung: HangStateListener;
  readonly startThread: StartWorker<ProjectorProtocol>;
}

/** Pause after a thread ended by itself. */
const RESTART_MS = 1_000;
/** Pause between two messages about appends. */
const GATHER_MS = 4;
/**
 * By kind of read models. Applying needs half of it as a rule; without a bound the heap would grow before it is
 * collected. Documents on their way from and to servers take more: in 128 MB most of the time went into garbage
 * collection.
 */
export const PROJECTOR_HEAP_MB_BY_STORE = { sqlite: 128, mongodb: 256 } as const;
const UNKNOWN = 'for an unknown reason';
/** Node's default: with half of it a rebuild takes 30 MB less, and 15 % longer. */
const YOUNG_MB = 48;
/** After large documents took all memory of a thread, the next one has so many times as much. */
const MORE_HEAP = 2;

/**
 * Runs the projector in a thread of its own, and starts another where that ends by itself, because it cannot reach a
 * server at its start or because of a defect. Resolves once the projector of embedded read models runs; servers are not
 * waited for.
 */
export const hostProjector = async (options: HostOptions): Promise<HostedProjector> => {
  const { stores, servesRequests, telemetry, onError, onDropped, onWarning, onEnded, onHung, onParked, onBuild } =
    options;
  const { startThread, onAnotherLog = () => undefined } = options;
  const standing = createStatusTracker(options.projections);
  let served: ServedBuildIds = new Map();
  let waitsFor: string | undefined;
  const stopping = new AbortController();
  const isStopping = stopping.signal;
  let heapMb: number = PROJECTOR_HEAP_MB_BY_STORE[stores.readModels.kind];
  let onStored: (touched: ChangesByCollection) => void = () => undefined;
  const { progress, notify } = createProjectionTracker(() => standing.status());

  const onStatus = (message: ProjectorReport): void => {
    switch (message.kind) {
      case 'failed':
        waitsFor = message.waitsFor;
        standing.failed(message.build);
        onError(message.build, fromSerializedError(message.error));
        if (message.isOfAnotherLog) onAnotherLog();
        return;
      case 'dropped':
        onDropped(fromSerializedError(message.error));
        return;
      case 'parked':
        standing.failed(message.parked.build);
        onParked(message.parked);
        return;
      case 'build':
        onBuild(message.change);
        return;
      case 'warned':
        onWarning(message.line);
        return;
      case 'stored':
        waitsFor = undefined;
        onStored(message.touched);
        standing.heard(message.status, message.isCaughtUp);
        // The same map while its content is the same: what was made for it is kept.
        if (!isDeepStrictEqual(served, message.served)) served = message.served;
        notify();
    }
  };

  const start = () => {
    const resourceLimits = { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: YOUNG_MB };
    const worker = startThread({ resourceLimits, onHung });
    const task = worker.start({ stores, servesRequests, telemetry }, { onStatus });
    worker.close();
    const ended = task.result.then(
      () => undefined,
      (error: unknown) => error as Error,
    );
    // Another one writes read models only once this one does no more.
    return { ...task, ended: worker.ended.then((failure) => failure ?? ended) };
  };
  let thread = start();
  if (stores.readModels.kind === 'sqlite') {
    const ended = thread.ended.then((error) => error ?? new Error(`The projector's thread has ended ${UNKNOWN}`));
    const error = await Promise.race([progress.next(isStopping), ended]);
    if (error) throw error;
  }

  const noteEnd = (error: Error | undefined): void => {
    if (error) {
      if (isOutOfMemory(error)) heapMb *= MORE_HEAP;
      standing.failed('all');
    }
    if (isStopping.aborted) {
      if (error) onError('all', error);
      return;
    }
    const reason = error ?? new Error(UNKNOWN);
    waitsFor = undefined;
    standing.ended(`the projector's thread has ended: ${reason.message}`);
    onEnded(reason);
    notify();
  };
  const keepRunning = async (): Promise<void> => {
    for (;;) {
      noteEnd(await thread.ended);
      // A stop during the pause has no thread to tell.
      await delay(RESTART_MS, undefined, { signal: isStopping }).catch(() => undefined);
      if (isStopping.aborted) return;
      thread = start();
    }
  };
  const running = keepRunning();

  let newest: Position | undefined;
  let postedAt = 0;
  const postNewest = () => {
    if (newest !== undefined) thread.post({ kind: 'appended', position: newest });
    newest = undefined;
    postedAt = performance.now();
  };

  return {
    ...progress,
    served: () => served,
    isCaughtUp: (names) => standing.isCaughtUp(names),
    waitsFor: () => waitsFor,
    watch(listener) {
      onStored = listener;
    },
    appended(position) {
      if (newest === undefined) {
        // At once under low load; under high load many events share one transaction of the read models.
        const pause = postedAt + GATHER_MS - performance.now();
        if (pause > 0) setTimeout(postNewest, pause);
        else setImmediate(postNewest);
      }
      if (newest === undefined || position > newest) newest = position;
    },
    damaged: (build) => thread.post({ kind: 'damaged', build }),
    registryChanged: () => thread.post({ kind: 'registry-changed' }),
    async stop() {
      stopping.abort();
      thread.cancel();
      await running;
    },
  };
};
