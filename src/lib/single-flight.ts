/**
 * Runs one task for all who ask while the one before is under way. Nobody is given what began before they asked, so what
 * they get is as new as if each had asked alone.
 *
 * @returns runs a task for whoever asks under a key; tasks of one key must ask for the same
 */
export const createShared = <T>() => {
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
