/**
 * A growing pause in milliseconds with a random share, so that those who wait do not come back together.
 *
 * @param failures how often it was in vain before
 */
export const backoff = (failures: number, min: number, max: number): number =>
  Math.min(max, min * 2 ** failures) * (0.5 + Math.random() / 2);
