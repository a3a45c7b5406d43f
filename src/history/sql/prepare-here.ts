import type { Position } from '../../event-store/port.ts';
import type { EventStoreSettings } from '../../stores.ts';
import { showingBy } from '../moment/showing.ts';
import { copySourceOf, type CopiedLog } from './copy-source.ts';
import { prepareCopy, type Preparation, type Preparing } from './prepare.ts';

/** The stores that a copy is made from, and what it is for; plain data, so that a thread can be given it. */
export interface StoresPreparation extends Preparation {
  readonly eventStore: EventStoreSettings;
  /** Of the masks; undefined for a copy with personal data. */
  readonly maskSecret: string | undefined;
}

/** Makes a copy of the stores ready, on the calling thread. @throws as `prepareCopy` does */
export const prepareHere = (
  log: CopiedLog,
  preparation: StoresPreparation,
  preparing: Preparing,
): Promise<Position> => {
  const showing = showingBy(preparation.maskSecret);
  return prepareCopy(copySourceOf(log, showing.mask), showing, preparation, preparing);
};
