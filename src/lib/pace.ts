import { setTimeout as delay } from 'node:timers/promises';

/** Shorter pauses cost more than they are worth. */
const LEAST_MS = 5;
/** How soon somebody who waits learns of another rate. */
const LOOK_MS = 200;

/**
 * Holds somebody to a rate on average.
 *
 * @param perSecond asked again and again, since it may change meanwhile; Infinity: holds nobody
 * @returns to be called with how many were done, or are about to be; waits until they are due
 */
export const createPace = (perSecond: () => number, signal: AbortSignal) => {
  let [rate, at] = [perSecond(), performance.now()];
  /** So many were done too early; or less than none, when there is time left over. */
  let early = 0;

  const look = (): void => {
    const now = performance.now();
    early = rate === Infinity ? 0 : early - (rate * (now - at)) / 1_000;
    at = now;
    const before = rate;
    rate = perSecond();
    // The time that was left over at one rate is none at another.
    if (rate !== before) early = Math.max(0, early);
  };

  return async (count: number): Promise<void> => {
    early += count;
    while (!signal.aborted) {
      look();
      const pause = (early / rate) * 1_000;
      if (pause < LEAST_MS) return;
      await delay(Math.min(pause, LOOK_MS), undefined, { signal }).catch(() => undefined);
    }
  };
};
