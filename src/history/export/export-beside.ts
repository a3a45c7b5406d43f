import { Worker } from 'node:worker_threads';
import { invalid } from '../../errors/domain-error.ts';
import { exportHere, type ExportingBeside, type ExportMessage, type ExportOrder } from './export-here.ts';
import type { ExportManifest } from './manifest.ts';

/** So many events are exported sooner than a thread starts. */
const FEW = 2_000;
/** With these, V8 frees memory early: what the thread reads lives for a short time. */
const HEAP = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 };

const exportInThread = (
  order: ExportOrder,
  { signal, onRead, onDropped }: ExportingBeside,
): Promise<ExportManifest> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./export-thread.js', import.meta.url), {
      workerData: order,
      resourceLimits: HEAP,
    });
    const stop = () => worker.postMessage('stop');
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    worker.on('message', (message: ExportMessage) => {
      switch (message.kind) {
        case 'read':
          onRead(message.events, message.of);
          break;
        case 'dropped':
          onDropped(message.error);
          break;
        case 'done':
          resolve(message.manifest);
          break;
        case 'refused':
          reject(invalid(message.message));
          break;
      }
    });
    // The first reason counts: a stopped thread fails, too.
    worker.on('error', (error) => reject(signal.aborted ? (signal.reason as Error) : error));
    worker.once('exit', () => {
      signal.removeEventListener('abort', stop);
      reject(
        signal.aborted ? (signal.reason as Error) : new Error('The thread of the export has ended too early'),
      );
    });
  });

/**
 * Exports the event log: in a thread of its own, whose memory is bounded, where that is long.
 *
 * @throws DomainError for an export that is refused; the signal's reason where that is aborted
 */
export const exportBeside = (order: ExportOrder, exporting: ExportingBeside): Promise<ExportManifest> =>
  // Positions in a file count its events.
  order.eventStore.kind === 'sqlite' && Number(order.upTo) <= FEW
    ? exportHere(order, exporting)
    : exportInThread(order, exporting);
