import { setTimeout as delay } from 'node:timers/promises';
import { slowness } from './slowness.ts';

const PAUSE_MS = 20;

/**
 * Polls until a condition holds; gives how many milliseconds that took.
 *
 * @param withinMs on a machine of the usual speed
 * @param what the condition in words
 * @throws Error that names the condition; its cause is what the last attempt failed with
 */
export const eventually = async (
  what: string,
  holds: () => Promise<boolean> | boolean,
  withinMs = 30_000,
): Promise<number> => {
  const limitMs = withinMs * slowness();
  const started = performance.now();
  let failure: unknown;
  do {
    try {
      if (await holds()) return performance.now() - started;
      failure = undefined;
    } catch (error) {
      failure = error;
    }
    await delay(PAUSE_MS);
  } while (performance.now() - started < limitMs);
  throw new Error(`In ${Math.round(limitMs)} ms it did not come to be that ${what}`, { cause: failure });
};
