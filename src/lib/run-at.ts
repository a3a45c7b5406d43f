/** Longer than this, a timer of Node.js fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Runs something once, at a time in milliseconds since 1970 (Infinity: never), or now where that has passed.
 *
 * @returns cancels it
 */
export const runAt = (time: number, act: () => void): (() => void) => {
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    const left = time - Date.now();
    if (left <= 0) act();
    else timer = setTimeout(wait, Math.min(left, MAX_TIMER_MS));
  };
  wait();
  return () => clearTimeout(timer);
};
