import { inThread } from '../threads/in-thread.ts';
import type { Doing } from '../threads/ordered.ts';
import { encodedBeside } from './encoded-beside.ts';
import { exportHere, type ExportNews, type ExportOrder } from './export-here.ts';
import type { ExportManifest } from './manifest.ts';

/** An event log of so many events is exported sooner than a thread starts. */
const FEW = 2_000;

/**
 * Whether threads encode the events in turn: all that a file holds, as fast as it can. A throttle would not hold back what
 * the threads read ahead.
 */
const isInTurn = ({ eventStore, form, perSecond }: ExportOrder): boolean =>
  eventStore.kind === 'sqlite' &&
  form.types === undefined &&
  form.format !== 'ocel' &&
  perSecond === Infinity;

/**
 * Exports the event log: in threads of its own, whose memory is bounded, where that is long.
 *
 * @throws DomainError for an export that is refused; the signal's reason where that is aborted
 */
export const exportBeside = (order: ExportOrder, exporting: Doing<ExportNews>): Promise<ExportManifest> => {
  // Positions in a file count its events.
  if (order.eventStore.kind === 'sqlite' && Number(order.upTo) <= FEW) return exportHere(order, exporting);
  if (isInTurn(order)) return exportHere(order, exporting, encodedBeside(order));
  return inThread(new URL('./export-thread.js', import.meta.url), order, exporting);
};
