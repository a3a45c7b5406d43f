import { Worker } from 'node:worker_threads';
import { invalid } from '../../errors/domain-error.ts';
import type { Position } from '../../event-store/port.ts';
import { openLog } from '../../stores.ts';
import { prepareCopy, type Preparation, type PreparationMessage, type Preparing } from './prepare.ts';

export interface PreparingBeside extends Preparing {
  readonly onDropped: (error: unknown) => void;
}

/** So many events are copied sooner than a thread starts. */
const FEW = 2_000;
/** With these, V8 frees memory early: what the thread reads lives for a short time. */
const HEAP = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 };

const inThread = (
  preparation: Preparation,
  { signal, onNews, onDropped }: PreparingBeside,
): Promise<Position> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./prepare-thread.js', import.meta.url), {
      workerData: preparation,
      resourceLimits: HEAP,
    });
    const stop = () => worker.postMessage('stop');
    signal.addEventListener('abort', stop, { once: true });
    const settle = (message: PreparationMessage): void => {
      switch (message.kind) {
        case 'news':
          onNews(message.news);
          break;
        case 'dropped':
          onDropped(message.error);
          break;
        case 'done':
          resolve(message.position);
          break;
        case 'refused':
          reject(invalid(message.message));
          break;
      }
    };
    worker.on('message', settle);
    // The first reason counts: a stopped thread fails, too.
    worker.on('error', (error) => reject(signal.aborted ? (signal.reason as Error) : error));
    worker.once('exit', () => {
      signal.removeEventListener('abort', stop);
      reject(
        signal.aborted ? (signal.reason as Error) : new Error('The thread of the copy has ended too early'),
      );
    });
  });

/**
 * Makes a copy ready for a statement: in a thread of its own, whose memory is bounded, where the event log is long.
 *
 * @throws DomainError for a statement that is refused; the signal's reason where that is aborted
 */
export const prepare = async (preparation: Preparation, preparing: PreparingBeside): Promise<Position> => {
  const log = await openLog(preparation.eventStore, preparing.onDropped);
  try {
    const { kind } = preparation.eventStore;
    // Positions in a file count its events.
    if (kind === 'sqlite' && Number(await log.head()) <= FEW)
      return await prepareCopy(log, preparation, preparing);
  } finally {
    await log.close();
  }
  return inThread(preparation, preparing);
};
