// @ts-check
/**
 * Makes a function that runs tasks one after the other, in the order in which they came, and gives their results.
 *
 * @returns {<Result>(task: () => Promise<Result>) => Promise<Result>}
 */
export const oneAtATime = () => {
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  return (task) => {
    const result = last.then(task);
    // A task that fails tells its own caller; the next one runs all the same.
    last = result.catch(() => undefined);
    return result;
  };
};
