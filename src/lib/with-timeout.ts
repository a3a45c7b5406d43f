/**
 * The promise's outcome, or a failure when there is none in time. What the promise stands for goes on all the same. A plain
 * timer: an abort signal for each append took a sixth of the time of a copy.
 *
 * @throws Error with the message when there is no outcome in time
 */
export const inTime = <T>(promise: Promise<T>, milliseconds: number, message: string): Promise<T> =>
  new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(message)), milliseconds);
    late.unref();
    promise.then(resolve, reject).finally(() => clearTimeout(late));
  });
