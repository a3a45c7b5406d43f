import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { ServedIds } from '../projector/served.ts';
import type { Position } from '../event-store/port.ts';
import type { Projector } from '../projector/projector.ts';
import { createProgress, type Progress, type ProjectionStatus } from '../projector/progress.ts';
import type { FromProjector, ToProjector } from './messages.ts';
import { isOutOfMemory } from '../lib/thread-stream.ts';
import { createStanding } from './standing.ts';
import type { Touched } from '../read-models/port.ts';
import { isShared, type StoreSettings } from '../stores.ts';

export interface HostedProjector extends Progress, Pick<Projector, 'isCaughtUp' | 'stop'> {
  /** By projection, the build that is served. */
  served(): ServedIds;
  /** What keeps the projector from starting, in words for anybody; undefined while nothing does. */
  waitsFor(): string | undefined;
  /** To be told where each append ended: SQLite tells nobody. */
  appended(position: Position): void;
  /** Has a listener told of what is stored from now on, each time before anybody else learns of it. */
  watch(listener: (touched: Touched) => void): void;
}

export interface HostOptions {
  readonly stores: StoreSettings;
  /** What there is to tell of, before the thread has told more. */
  readonly projections: readonly Pick<ProjectionStatus, 'name' | 'version'>[];
  readonly onError: (projection: string, error: unknown) => void;
  /** A subscription of the log was dropped; it goes on by itself. */
  readonly onDropped: (error: unknown) => void;
  readonly onWarning: (line: string) => void;
  /** The thread has ended by itself and is started again. */
  readonly onEnded: () => void;
}

/** Between a thread that ended by itself and the next one. */
const RESTART_MS = 1_000;
/** Between two times that the thread is told of appends. */
const GATHER_MS = 4;
/**
 * By where read models are. Folding needs half of it as a rule; without a bound the heap would grow before it is swept. What
 * is on its way from and to servers takes more: in 128 MB most of the time went into sweeping.
 */
export const HEAP_MB = { sqlite: 128, mongodb: 256 } as const;
/** As Node takes by itself: with half of it a rebuild takes 30 MB less, and 15 % longer. */
const YOUNG_MB = 48;
/** Where documents are so large that it was not enough, the next thread has so many times as much. */
const MORE_HEAP = 2;

const isSameMap = (a: ServedIds, b: ServedIds): boolean =>
  a.size === b.size && [...a].every(([name, id]) => b.get(name) === id);

/** Resolves once a thread has told where it stands; rejects when it fails before. */
const hasStarted = (worker: Worker): Promise<void> =>
  new Promise((resolve, reject) => {
    worker.on('message', ({ kind }: FromProjector) => {
      if (kind === 'stored') resolve();
    });
    worker.once('error', reject);
  });

/**
 * Runs the projector in a thread of its own. One that ends by itself, because a server cannot be reached as it starts or
 * for a reason that should not be, is started again. Resolves once the projector of embedded read models runs; servers are
 * not waited for.
 */
export const hostProjector = async (options: HostOptions): Promise<HostedProjector> => {
  const { stores, onError, onDropped, onWarning, onEnded } = options;
  const standing = createStanding(options.projections);
  let served: ServedIds = new Map();
  let waitsFor: string | undefined;
  const stopping = new AbortController();
  const isStopping = stopping.signal;
  let heapMb: number = HEAP_MB[stores.readModels.kind];
  let onStored: (touched: Touched) => void = () => undefined;
  const { progress, changed } = createProgress(() => standing.status());

  const hear = (message: FromProjector): void => {
    switch (message.kind) {
      case 'failed':
        waitsFor = message.waitsFor;
        standing.failed(message.projection);
        onError(message.projection, message.error);
        return;
      case 'dropped':
        onDropped(message.error);
        return;
      case 'warned':
        onWarning(message.line);
        return;
      case 'stored':
        waitsFor = undefined;
        onStored(message.touched);
        standing.heard(message.status, message.isCaughtUp);
        // The same map as long as it says the same: what was made for it is kept.
        if (!isSameMap(served, message.served)) served = message.served;
        changed();
    }
  };

  let endedBy: Error | undefined;
  const fail = (error: Error): void => {
    endedBy = error;
    if (isOutOfMemory(error)) heapMb *= MORE_HEAP;
    standing.failed('all');
    onError('all', error);
  };
  const spawn = (): Worker =>
    new Worker(new URL('./projector-thread.js', import.meta.url), {
      workerData: stores,
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: YOUNG_MB },
    })
      .on('message', hear)
      .on('error', fail);
  const endOf = (thread: Worker) => new Promise<void>((resolve) => thread.once('exit', () => resolve()));

  let worker = spawn();
  let ended = endOf(worker);
  if (!isShared(stores)) await hasStarted(worker);

  const noteEnd = (): void => {
    waitsFor = undefined;
    standing.ended(`the projector's thread has ended: ${endedBy?.message ?? 'nobody knows why'}`);
    endedBy = undefined;
    onEnded();
    changed();
  };
  const keepRunning = async (): Promise<void> => {
    for (;;) {
      await ended;
      if (!isStopping.aborted) noteEnd();
      // Whoever stops it meanwhile has nobody to tell.
      await delay(RESTART_MS, undefined, { signal: isStopping }).catch(() => undefined);
      if (isStopping.aborted) return;
      worker = spawn();
      ended = endOf(worker);
    }
  };
  const running = keepRunning();
  const tell = (message: ToProjector) => worker.postMessage(message);

  let newest: Position | undefined;
  let toldAt = 0;
  const tellNewest = () => {
    if (newest !== undefined) tell({ kind: 'appended', position: newest });
    newest = undefined;
    toldAt = performance.now();
  };

  return {
    ...progress,
    served: () => served,
    isCaughtUp: () => standing.isCaughtUp(),
    waitsFor: () => waitsFor,
    watch(listener) {
      onStored = listener;
    },
    appended(position) {
      if (newest === undefined) {
        // At once when little happens; when much does, many events share one transaction of the read models.
        const pause = toldAt + GATHER_MS - performance.now();
        if (pause > 0) setTimeout(tellNewest, pause);
        else setImmediate(tellNewest);
      }
      if (newest === undefined || position > newest) newest = position;
    },
    async stop() {
      stopping.abort();
      tell({ kind: 'stop' });
      await running;
    },
  };
};
