/**
 * Runs a task for each item, so many at a time.
 *
 * @throws the first failure, after which no task is begun, once none is under way
 */
export const inParallel = async <T>(
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
