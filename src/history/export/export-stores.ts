import { runObserved, type TaskObserver } from '../../lib/observed-task.ts';
import type { ExportManifest } from './manifest.ts';
import { runExport, type ExportNews, type ExportOrder } from './run.ts';

/** An event log of so many events is exported sooner than a thread starts. */
const FEW = 2_000;

/**
 * Exports the event log as NDJSON: where it is long, in a thread with bounded memory.
 *
 * @throws DomainError for an export that is refused; the signal's reason where that is aborted
 */
export const exportStores = (
  order: ExportOrder,
  exporting: TaskObserver<ExportNews>,
): Promise<ExportManifest> =>
  // Positions in a file count its events.
  order.eventStore.kind === 'sqlite' && Number(order.to.position) <= FEW
    ? runExport(order, exporting)
    : runObserved(new URL('./export.thread.js', import.meta.url), order, exporting);
