import type { Position } from '../../event-store/port.ts';
import { openLog } from '../../stores.ts';
import { inThread } from '../threads/in-thread.ts';
import type { Doing } from '../threads/ordered.ts';
import { prepareHere, type StoresPreparation } from './prepare-here.ts';
import type { PreparationNews } from './prepare.ts';

/** An event log of so many events is copied sooner than a thread starts. */
const FEW = 2_000;

const isShort = async (
  { eventStore }: StoresPreparation,
  onDropped: (error: unknown) => void,
): Promise<boolean> => {
  if (eventStore.kind !== 'sqlite') return false;
  const log = await openLog(eventStore, onDropped);
  try {
    // Positions in a file count its events.
    return Number(await log.head()) <= FEW;
  } finally {
    await log.close();
  }
};

/**
 * Makes a copy of the stores ready for a statement: in a thread of its own, whose memory is bounded, where the event log
 * is long.
 *
 * @throws DomainError for a statement that is refused; the signal's reason where that is aborted
 */
export const prepareBeside = async (
  preparation: StoresPreparation,
  preparing: Doing<PreparationNews>,
): Promise<Position> =>
  (await isShort(preparation, preparing.onDropped))
    ? prepareHere(preparation, preparing)
    : inThread(new URL('./prepare-thread.js', import.meta.url), preparation, preparing);
