import { setTimeout as delay } from 'node:timers/promises';
import { DirectoryInUse } from '../parts/data-directory.ts';
import { Fault } from '../parts/cli-error.ts';

const LOOK_MS = 1_000;
/** A service that is started again is back by then. */
const MOST_FREE_LOOKS = 10;

const isInUse = (take: () => () => void): boolean => {
  try {
    take()();
    return false;
  } catch (error) {
    if (error instanceof DirectoryInUse) return true;
    throw error;
  }
};

/**
 * Waits while another process has the files and works on them. When nobody has had them for a while it waits no more; it
 * does not take them over, since a service that is to be started could not have them.
 *
 * @param take takes the files, and gives what gives them back
 * @param wait is told by the signal that it is of no use any more
 * @throws Fault when nobody has them any more
 */
export const whileInUse = async <T>(
  take: () => () => void,
  wait: (signal: AbortSignal) => Promise<T>,
  lookMs = LOOK_MS,
): Promise<T> => {
  const over = new AbortController();
  const look = async (): Promise<void> => {
    for (let free = 0; free < MOST_FREE_LOOKS;) {
      await delay(lookMs, undefined, { signal: over.signal }).catch(() => undefined);
      if (over.signal.aborted) return;
      free = isInUse(take) ? 0 : free + 1;
    }
    over.abort(
      new Fault(
        'The process that had the data directory has ended; the same command goes on with what it left',
      ),
    );
  };
  const looking = look().catch((error: unknown) => over.abort(error));
  try {
    return await wait(over.signal);
  } finally {
    over.abort();
    await looking;
  }
};
