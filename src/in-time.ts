import { setTimeout as delay } from 'node:timers/promises';

/**
 * The promise's outcome, or a failure when there is none in time. What the promise stands for goes on all the same.
 *
 * @throws Error with the message when there is no outcome in time
 */
export const inTime = async <T>(promise: Promise<T>, milliseconds: number, message: string): Promise<T> => {
  const over = new AbortController();
  const late = delay(milliseconds, undefined, { signal: over.signal, ref: false }).then(() => {
    throw new Error(message);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    over.abort();
    late.catch(() => undefined);
  }
};
