/**
 * Stops waiting for a promise; the work behind it goes on. A plain timer: an abort signal for each append took a sixth
 * of the time of a copy.
 *
 * @param milliseconds a negative number counts as 0
 * @throws `late`, or an Error with this message, when there is no outcome in time
 */
export const withTimeout = <T>(promise: Promise<T>, milliseconds: number, late: string | Error): Promise<T> =>
  new Promise((resolve, reject) => {
    const end = () => reject(typeof late === 'string' ? new Error(late) : late);
    // It keeps the process: a command that waits for nothing else ends with `late`, and not in silence.
    const timer = setTimeout(end, Math.max(0, milliseconds));
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
