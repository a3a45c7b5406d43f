/** Runs tasks of the same key one after another, in order; different keys do not wait for each other. */
export const createKeyedMutex = () => {
  const last = new Map<string, Promise<unknown>>();
  return <T>(key: string, task: () => Promise<T>): Promise<T> => {
    const before = last.get(key) ?? Promise.resolve();
    const mine = before.then(task, task);
    last.set(key, mine);
    const clear = () => {
      if (last.get(key) === mine) last.delete(key);
    };
    mine.then(clear, clear);
    return mine;
  };
};
