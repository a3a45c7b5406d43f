import { setTimeout as delay } from 'node:timers/promises';

/** Each look costs the instances time that the faults are to have. */
const PAUSE_MS = 100;

/**
 * Looks again and again until something holds.
 *
 * @param what in words
 * @throws Error that says what it has waited for in vain; its cause is what the last look failed with
 */
export const until = async (
  what: string,
  holds: () => Promise<boolean>,
  withinMs: number,
  pauseMs = PAUSE_MS,
): Promise<void> => {
  const end = performance.now() + withinMs;
  let failure: unknown;
  do {
    try {
      if (await holds()) return;
      failure = undefined;
    } catch (error) {
      failure = error;
    }
    await delay(pauseMs);
  } while (performance.now() < end);
  const why = failure instanceof Error ? `: ${failure.message}` : '';
  throw new Error(`In ${Math.round(withinMs)} ms it did not come to be that ${what}${why}`, {
    cause: failure,
  });
};
