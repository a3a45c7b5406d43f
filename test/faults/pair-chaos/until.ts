import { setTimeout as delay } from 'node:timers/promises';

/** Each look takes time of the instances. */
const PAUSE_MS = 100;

/**
 * Polls until a condition holds.
 *
 * @param what the condition in words
 * @throws Error that names the condition; its cause is what the last look failed with
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
  throw new Error(`In ${Math.round(withinMs)} ms it did not come to be that ${what}${why}`, { cause: failure });
};
