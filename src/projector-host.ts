import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Position } from './event-store/port.ts';
import type { Projector } from './projector.ts';
import { createProgress, type ProjectionStatus } from './projector-progress.ts';
import type { FromProjector, ProjectorFiles, ToProjector } from './projector-messages.ts';
import type { Touched } from './read-models/port.ts';

export interface HostedProjector extends Projector {
  /** To be told of each append: SQLite tells nobody. */
  appended(position: Position): void;
  /** Has a listener told of what is stored from now on, each time before anybody else learns of it. */
  watch(listener: (touched: readonly Touched[] | 'all') => void): void;
}

export interface HostOptions extends ProjectorFiles {
  readonly onError: (projection: string, error: unknown) => void;
}

/** Between a thread that ended by itself and the next one. */
const RESTART_MS = 1_000;
/** Between two times that the thread is told of appends. */
const GATHER_MS = 4;
/** Folding needs little memory as a rule; without a bound the heap would grow before it is swept. */
export const HEAP_MB = 160;
/** Where documents are so large that it was not enough, the next thread has so many times as much. */
const MORE_HEAP = 2;

const isOutOfMemory = (error: Error): boolean => 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

/**
 * Runs the projector of the embedded stores in a thread of its own. One that ends by itself, which it should not, is
 * started again.
 */
export const hostProjector = async (options: HostOptions): Promise<HostedProjector> => {
  const { eventsFile, readModelsFile, onError } = options;
  let status: readonly ProjectionStatus[] = [];
  let isCaughtUp = false;
  let isStopping = false;
  let heapMb = HEAP_MB;
  let onStored: (touched: readonly Touched[] | 'all') => void = () => undefined;
  let worker: Worker;
  let ended: Promise<void>;
  const { progress, changed } = createProgress(() => status);

  const hear = (message: FromProjector): void => {
    ({ status } = message);
    if (message.kind === 'failed') {
      onError(message.projection, message.error);
      return;
    }
    ({ isCaughtUp } = message);
    onStored(message.touched);
    changed();
  };

  /** Resolves once the thread has told where it stands. */
  const start = (): Promise<void> => {
    worker = new Worker(new URL('./projector-thread.js', import.meta.url), {
      workerData: { eventsFile, readModelsFile } satisfies ProjectorFiles,
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    worker.on('message', hear);
    const started = new Promise<void>((resolve, reject) => {
      worker.once('message', () => resolve());
      worker.once('error', reject);
    });
    ended = new Promise((resolve) => worker.once('exit', () => resolve()));
    return started;
  };

  const keepRunning = async (): Promise<void> => {
    for (;;) {
      worker.removeAllListeners('error').on('error', (error: Error) => {
        if (isOutOfMemory(error)) heapMb *= MORE_HEAP;
        onError('all', error);
      });
      await ended;
      if (isStopping) return;
      await delay(RESTART_MS);
      await start().catch((error: unknown) => onError('all', error));
    }
  };

  await start();
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
    isCaughtUp: () => isCaughtUp,
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
      newest = position;
    },
    async stop() {
      isStopping = true;
      tell({ kind: 'stop' });
      await running;
    },
  };
};
