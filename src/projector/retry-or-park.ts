import { setTimeout as delay } from 'node:timers/promises';
import type { RecordedEvent } from '../event-store/port.ts';
import type { createParking } from './parking.ts';
import { PoisonEvent, poisonIn, StoreFailure } from './poison.ts';

/** An event that cannot be applied is tried again a little later, in case it was the machine's fault. */
const ATTEMPTS = 3;
const PAUSE_MS = 10;

/**
 * Makes the function that tries again to apply an event. In the end the event parks its stream.
 *
 * @param canPark false: no event parks its stream
 */
export const createRetryOrPark =
  (parking: ReturnType<typeof createParking>, canPark: boolean) =>
  /**
   * @param failure what applying it has failed with
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
