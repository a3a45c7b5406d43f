import { inThread } from '../threads/in-thread.ts';
import type { Doing } from '../threads/ordered.ts';
import { encodedBeside } from './encoded-beside.ts';
import { exportHere, type ExportNews, type ExportOrder } from './export-here.ts';
import type { ExportManifest } from './manifest.ts';

/** An event log of so many events is exported sooner than a thread starts. */
const FEW = 2_000;

/**
 * Whether two threads encode the events: they need a file, and all of its events. An export with a throttle, or with
 * personal data, which has nice 10 and not `SCHED_IDLE`, is to leave a core to the service.
 */
const isEncodedBeside = ({ eventStore, form, maskSecret, to, perSecond }: ExportOrder): boolean =>
  eventStore.kind === 'sqlite' &&
  form.types === undefined &&
  to.at === null &&
  form.format !== 'ocel' &&
  maskSecret !== undefined &&
  perSecond === Infinity;

/**
 * Exports the event log. Where that is long, a thread with bounded memory does it, or the calling thread writes what
 * two such threads encode.
 *
 * @throws DomainError for an export that is refused; the signal's reason where that is aborted
 */
export const exportBeside = (order: ExportOrder, exporting: Doing<ExportNews>): Promise<ExportManifest> => {
  // Positions in a file count its events.
  if (order.eventStore.kind === 'sqlite' && Number(order.to.position) <= FEW)
    return exportHere(order, exporting);
  if (isEncodedBeside(order)) return exportHere(order, exporting, encodedBeside(order));
  return inThread(new URL('./export.thread.js', import.meta.url), order, exporting);
};
