import { setTimeout as delay } from 'node:timers/promises';

/** Shorter pauses cost more than they are worth. */
const LEAST_MS = 5;

/**
 * Holds somebody to a rate on average.
 *
 * @param perSecond Infinity: holds nobody
 * @returns to be called after so many were done; waits until they were due
 */
export const createPace = (perSecond: number, signal: AbortSignal) => {
  const started = performance.now();
  let done = 0;
  return async (count: number): Promise<void> => {
    if (perSecond === Infinity) return;
    done += count;
    const early = started + (done / perSecond) * 1_000 - performance.now();
    if (early >= LEAST_MS) await delay(early, undefined, { signal }).catch(() => undefined);
  };
};
