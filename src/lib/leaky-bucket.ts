import { setTimeout as delay } from 'node:timers/promises';

/** Shorter pauses are not worth their cost. */
const MIN_MS = 5;
/** How often a waiting caller checks the rate. */
const POLL_MS = 200;

/**
 * Holds a caller to an average rate.
 *
 * @param perSecond read repeatedly, since the rate may change; Infinity is no limit
 * @returns takes a number of items, and resolves when they are due or the signal is aborted
 */
export const createLeakyBucket = (perSecond: () => number, signal: AbortSignal) => {
  let [rate, at] = [perSecond(), performance.now()];
  /** Items done too early; negative when the caller is behind the rate. */
  let early = 0;

  const look = (): void => {
    const now = performance.now();
    early = rate === Infinity ? 0 : early - (rate * (now - at)) / 1_000;
    at = now;
    const before = rate;
    rate = perSecond();
    // Time left over at one rate does not count at another.
    if (rate !== before) early = Math.max(0, early);
  };

  return async (count: number): Promise<void> => {
    early += count;
    while (!signal.aborted) {
      look();
      const pause = (early / rate) * 1_000;
      if (pause < MIN_MS) return;
      await delay(Math.min(pause, POLL_MS), undefined, { signal }).catch(() => undefined);
    }
  };
};
