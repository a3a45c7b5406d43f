import type { Position } from '../../event-store/port.ts';
import { runTaskWithProgress, type TaskCallbacks } from '../../lib/task-with-progress.ts';
import {
  runPreparation,
  eventsToRead,
  planOf,
  withStores,
  type PreparationProgress,
  type StoresPreparation,
} from './prepare.ts';

/** So many events are read about as soon as a thread starts, which loads DuckDB and the projections once more. */
const FEW = 20_000;

/**
 * Makes the warehouse of the stores ready for a statement: in a thread of its own, whose memory is bounded, where many events
 * are to be read.
 *
 * @throws DomainError for a moment that it does not reach; the signal's reason where that is aborted
 */
export const prepareStores = async (
  preparation: StoresPreparation,
  preparing: TaskCallbacks<PreparationProgress>,
): Promise<Position> => {
  if (preparation.eventStore.kind === 'sqlite') {
    const position = await withStores(preparation, preparing.onDropped, async (source, mask) => {
      const plan = await planOf(source, mask, preparation);
      const areFew = eventsToRead(plan, preparation) <= FEW;
      return areFew ? runPreparation(plan, source, mask, preparation, { ...preparing, areFew }) : undefined;
    });
    if (position !== undefined) return position;
  }
  return runTaskWithProgress(new URL('./prepare.thread.js', import.meta.url), preparation, preparing);
};
