import type { Position } from '../../event-store/port.ts';
import { openLog } from '../../stores.ts';
import { inThread } from '../threads/in-thread.ts';
import type { Doing } from '../threads/ordered.ts';
import { prepareHere, type StoresPreparation } from './prepare-here.ts';
import type { PreparationNews } from './prepare.ts';

/** An event log of so many events is copied sooner than a thread starts. */
const FEW = 2_000;

/**
 * Makes a copy of the stores ready for a statement: in a thread of its own, whose memory is bounded, where the event log
 * is long.
 *
 * @throws DomainError for a statement that is refused; the signal's reason where that is aborted
 */
export const prepareBeside = async (
  preparation: StoresPreparation,
  preparing: Doing<PreparationNews>,
): Promise<Position> => {
  const { eventStore } = preparation;
  if (eventStore.kind === 'sqlite') {
    const log = await openLog(eventStore, preparing.onDropped);
    try {
      // Positions in a file count its events.
      if (Number(await log.head()) <= FEW) return await prepareHere(log, preparation, preparing);
    } finally {
      await log.close();
    }
  }
  return inThread(new URL('./prepare-thread.js', import.meta.url), preparation, preparing);
};
