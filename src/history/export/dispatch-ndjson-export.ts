import { runInWorkerWithProgress, type TaskCallbacks } from '../../lib/task-with-progress.ts';
import type { ExportManifest } from './manifest.ts';
import { exportNdjsonFromStores, type ExportProgress, type ExportTaskInput } from './ndjson-export.ts';

/** An event log of so many events is exported sooner than a thread starts. */
const INLINE_MAX_EVENTS = 2_000;

/**
 * Exports the event log as NDJSON: where it is long, in a thread with bounded memory.
 *
 * @throws DomainError for an export that is refused; the signal's reason where that is aborted
 */
export const dispatchNdjsonExport = (
  order: ExportTaskInput,
  exporting: TaskCallbacks<ExportProgress>,
): Promise<ExportManifest> =>
  // Positions in a file count its events.
  order.eventStore.kind === 'sqlite' && Number(order.to.position) <= INLINE_MAX_EVENTS
    ? exportNdjsonFromStores(order, exporting)
    : runInWorkerWithProgress(new URL('./export.thread.js', import.meta.url), order, exporting);
