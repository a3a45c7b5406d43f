import { setTimeout as delay } from 'node:timers/promises';
import { DirectoryInUseError } from '../parts/data-directory.ts';
import { CliError } from '../parts/cli-error.ts';

const POLL_MS = 1_000;
/** A service that is restarted is back by then. */
const MAX_FREE_LOOKS = 10;

const isInUse = (take: () => () => void): boolean => {
  try {
    take()();
    return false;
  } catch (error) {
    if (error instanceof DirectoryInUseError) return true;
    throw error;
  }
};

/**
 * Waits while another process has the files and works on them. Gives up when no process has had them for a while; it
 * does not take them itself, so that a service can start on them.
 *
 * @param take takes the files, and returns what gives them back
 * @param wait its signal is aborted when no process works on the files any more
 * @throws CliError when no process has the files any more
 */
export const runUntilOwnerGone = async <T>(
  take: () => () => void,
  wait: (signal: AbortSignal) => Promise<T>,
  lookMs = POLL_MS,
): Promise<T> => {
  const over = new AbortController();
  const look = async (): Promise<void> => {
    for (let free = 0; free < MAX_FREE_LOOKS;) {
      await delay(lookMs, undefined, { signal: over.signal }).catch(() => undefined);
      if (over.signal.aborted) return;
      free = isInUse(take) ? 0 : free + 1;
    }
    over.abort(
      new CliError('The process that had the data directory has ended; the same command goes on with what it left'),
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
