import type { Position } from '../../event-store/port.ts';
import { runInWorkerWithProgress, type TaskCallbacks } from '../../lib/task-with-progress.ts';
import {
  runPreparation,
  estimateEventsToRead,
  planPreparation,
  withWarehouseSource,
  type PreparationProgress,
  type StoresPreparationRequest,
} from './prepare.ts';

/** So many events are read about as soon as a thread starts, which loads DuckDB and the projections once more. */
const INLINE_MAX_EVENTS = 20_000;

/**
 * Makes the warehouse of the stores ready for a statement: in a thread of its own, whose memory is bounded, where many
 * events are to be read.
 *
 * @throws DomainError for a moment that it does not reach; the signal's reason where that is aborted
 */
export const prepareFromStores = async (
  preparation: StoresPreparationRequest,
  preparing: TaskCallbacks<PreparationProgress>,
): Promise<Position> => {
  if (preparation.eventStore.kind === 'sqlite') {
    const position = await withWarehouseSource(preparation, preparing.onDropped, async (source) => {
      const plan = await planPreparation(source, preparation);
      const areFew = estimateEventsToRead(plan, preparation) <= INLINE_MAX_EVENTS;
      return areFew ? runPreparation(plan, source, preparation, { ...preparing, areFew }) : undefined;
    });
    if (position !== undefined) return position;
  }
  return runInWorkerWithProgress(new URL('./prepare.thread.js', import.meta.url), preparation, preparing);
};
