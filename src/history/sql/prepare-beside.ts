import type { Position } from '../../event-store/port.ts';
import { openLog } from '../../stores.ts';
import { inThread } from '../threads/in-thread.ts';
import type { Doing } from '../threads/ordered.ts';
import { prepareHere, type StoresPreparation } from './prepare-here.ts';
import { eventsToRead, type PreparationNews } from './prepare.ts';
import { showingBy } from '../moment/showing.ts';

/** So many events are read sooner than a thread starts. */
const FEW = 20_000;

/**
 * Makes a copy of the stores ready for a statement: in a thread of its own, whose memory is bounded, where many
 * events are to be read.
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
      const head = await log.head();
      const most = () => eventsToRead(head, showingBy(preparation.maskSecret), preparation);
      if (Number(head) <= FEW || (await most()) <= FEW) return await prepareHere(log, preparation, preparing);
    } finally {
      await log.close();
    }
  }
  return inThread(new URL('./prepare-thread.js', import.meta.url), preparation, preparing);
};
