import type { Position } from '../../event-store/port.ts';
import { openLog, type EventStoreSettings } from '../../stores.ts';
import type { Doing } from '../threads/ordered.ts';
import { showingBy } from '../moment/showing.ts';
import { copySourceOf } from './copy-source.ts';
import { prepareCopy, type Preparation, type PreparationNews } from './prepare.ts';

/** The stores that a copy is made from, and what it is for; plain data, so that a thread can be given it. */
export interface StoresPreparation extends Preparation {
  readonly eventStore: EventStoreSettings;
  /** Of the masks; undefined for a copy with personal data. */
  readonly maskSecret: string | undefined;
}

/** Makes a copy of the stores ready, on the calling thread. @throws as `prepareCopy` does */
export const prepareHere = async (
  preparation: StoresPreparation,
  { onDropped, ...preparing }: Doing<PreparationNews>,
): Promise<Position> => {
  const log = await openLog(preparation.eventStore, onDropped);
  try {
    const showing = showingBy(preparation.maskSecret);
    return await prepareCopy(copySourceOf(log, showing.mask), showing, preparation, preparing);
  } finally {
    await log.close();
  }
};
