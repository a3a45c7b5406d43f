/**
 * An exponential pause in milliseconds, with jitter so that waiting callers do not retry together.
 *
 * @param failures 0 for the shortest pause
 */
export const backoffMs = (failures: number, min: number, max: number): number =>
  Math.min(max, min * 2 ** failures) * (0.5 + Math.random() / 2);
