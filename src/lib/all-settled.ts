/**
 * As `Promise.all`, but it does not reject before all have ended, so that nothing is still under way when it is tried again.
 */
export const allSettled = async <T>(promises: readonly Promise<T>[]): Promise<T[]> => {
  const outcomes = await Promise.allSettled(promises);
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
};
