import type { HangStateListener } from './heartbeat.ts';

/** Fails calls to a thread while it hangs. @param onHung is called as well */
export const createHangGuard = (error: () => Error, onHung?: HangStateListener) => {
  let isHung = false;
  const waiting = new Set<(error: Error) => void>();
  return {
    onHung: (hangs: boolean): void => {
      isHung = hangs;
      if (hangs) for (const fail of waiting) fail(error());
      onHung?.(hangs);
    },
    /** Does something with a thread; fails at once while it hangs, and when it begins to. What was begun goes on. */
    unlessHung: <T>(act: () => Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        if (isHung) {
          reject(error());
          return;
        }
        waiting.add(reject);
        void act()
          .then(resolve, reject)
          .finally(() => waiting.delete(reject));
      }),
  };
};
