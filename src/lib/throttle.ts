/** The most keys that are told apart; they are few as a rule. */
const MAX_KEYS = 1_000;

/** The function, run at most once in so many milliseconds for each key; calls in between are dropped. */
export const throttleEach = <Args extends readonly unknown[]>(
  milliseconds: number,
  keyOf: (...args: Args) => string,
  run: (...args: Args) => void,
): ((...args: Args) => void) => {
  const last = new Map<string, number>();
  return (...args) => {
    const [key, now] = [keyOf(...args), performance.now()];
    if (now - (last.get(key) ?? -Infinity) < milliseconds) return;
    if (last.size >= MAX_KEYS) last.clear();
    last.set(key, now);
    run(...args);
  };
};

/** The function, run at most once in so many milliseconds; calls in between are dropped. */
export const throttle = <Args extends readonly unknown[]>(
  milliseconds: number,
  run: (...args: Args) => void,
): ((...args: Args) => void) => throttleEach(milliseconds, () => '', run);
