/**
 * Single-flight per key: callers share the next run, never one already started, so each result is as new as from a run
 * of the caller's own.
 *
 * @returns runs a task under a key; tasks of one key must do the same
 */
export const createNextRunCoalescer = <T>() => {
  const running = new Map<string, Promise<T>>();
  const next = new Map<string, Promise<T>>();

  const start = (key: string, task: () => Promise<T>): Promise<T> => {
    next.delete(key);
    const mine = task();
    running.set(key, mine);
    const clear = () => {
      if (running.get(key) === mine) running.delete(key);
    };
    mine.then(clear, clear);
    return mine;
  };

  return (key: string, task: () => Promise<T>): Promise<T> => {
    const before = running.get(key);
    if (!before) return start(key, task);
    const waiting = next.get(key);
    if (waiting) return waiting;
    const startNext = () => start(key, task);
    const mine = before.then(startNext, startNext);
    next.set(key, mine);
    return mine;
  };
};
