import { setTimeout as delay } from 'node:timers/promises';
import type { RecordedEvent } from '../event-store/port.ts';
import type { createParking } from './parking.ts';
import { PoisonEvent, poisonIn, StoreFailure } from './poison.ts';

/** Tries at an event that cannot be applied: the machine may have been at fault. */
const ATTEMPTS = 3;
const PAUSE_MS = 10;

/**
 * Makes the function that retries an event and in the end parks its stream.
 *
 * @param canPark false: an event that fails stops the projection at once
 */
export const createRetryOrPark =
  (parking: ReturnType<typeof createParking>, canPark: boolean) =>
  /**
   * @param failure the error of the first try
   * @param act applies the event
   * @param release the number of the release under which it is applied; 0 for none
   * @throws PoisonEvent where the event stops the projection; what the store has failed with
   */
  async (
    event: Pick<RecordedEvent, 'id' | 'type' | 'position' | 'stream' | 'revision'>,
    failure: unknown,
    act: () => Promise<void>,
    release: number,
  ): Promise<void> => {
    let error = failure;
    for (let attempts = 1; ; attempts++) {
      if (error instanceof StoreFailure) throw error.cause instanceof Error ? error.cause : error;
      const poison = poisonIn(event, error);
      if (!canPark) throw new PoisonEvent(poison);
      if (attempts === ATTEMPTS) {
        parking.park(poison, release);
        return;
      }
      await delay(PAUSE_MS * attempts);
      try {
        await act();
        return;
      } catch (again) {
        error = again;
      }
    }
  };
