/** `Promise.all` that rejects only when all have settled, so that a retry overlaps with none. */
export const whenAllSettled = async <T>(promises: readonly Promise<T>[]): Promise<T[]> => {
  const outcomes = await Promise.allSettled(promises);
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
};
