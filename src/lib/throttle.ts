/** The function, run at most once in so many milliseconds; calls in between are dropped. */
export const throttle = <Args extends readonly unknown[]>(
  milliseconds: number,
  run: (...args: Args) => void,
): ((...args: Args) => void) => {
  let last = -Infinity;
  return (...args) => {
    const now = performance.now();
    if (now - last < milliseconds) return;
    last = now;
    run(...args);
  };
};
