/**
 * Runs a task for each item, at most `most` at a time.
 *
 * @throws the first failure, once running tasks have ended; no task begins after it
 */
export const forEachInParallel = async <T>(
  items: readonly T[],
  most: number,
  task: (item: T) => Promise<void>,
): Promise<void> => {
  const left = items.values();
  let failure: { readonly reason: unknown } | undefined;
  const work = async () => {
    for (const item of left) {
      if (failure) return;
      try {
        await task(item);
      } catch (reason) {
        failure ??= { reason };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, work));
  if (failure) throw failure.reason;
};
