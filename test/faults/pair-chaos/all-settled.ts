/** The results of some tasks, once none is under way any more. @throws the first failure */
export const allSettled = async <T>(tasks: readonly Promise<T>[]): Promise<T[]> => {
  const outcomes = await Promise.allSettled(tasks);
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
};
