import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '../../lib/backoff.ts';
import { ServiceInterruptedError } from './service-client.ts';
import { print } from './print.ts';
import type { Terminal } from './terminal.ts';

/** Retries in a row without any item, after which the command ends: long enough for a service to start again. */
const MAX_RETRIES = 8;
const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 10_000;
/** A service that says to come back later than that is not waited for. */
const MAX_RETRY_AFTER_S = 60;

const pauseFor = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  delay(milliseconds, undefined, { signal }).catch(() => undefined);

/**
 * The items of a service's answer. Where the answer is cut, as one that is not read for long, it asks for the rest.
 *
 * @param ask asks for the items after the first `count`, which end with `last`
 * @throws ServiceInterruptedError where it gives nothing, however often it is asked; the signal's reason where it is
 *   aborted
 */
export async function* resumableItems<T>(
  { stderr, pause = pauseFor }: Pick<Terminal, 'stderr' | 'pause'>,
  ask: (count: number, last: T | undefined) => AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  let last: T | undefined;
  let [count, failures] = [0, 0];
  for (;;) {
    try {
      for await (const item of ask(count, last)) {
        [last, failures] = [item, 0];
        count++;
        yield item;
      }
      return;
    } catch (error) {
      const isPassing = error instanceof ServiceInterruptedError && error.retryAfter <= MAX_RETRY_AFTER_S;
      if (!isPassing || failures === MAX_RETRIES) throw error;
      print(stderr, `hiring: ${error.message}; it is asked for the rest`);
      const ms = Math.max(backoffMs(failures++, MIN_PAUSE_MS, MAX_PAUSE_MS), error.retryAfter * 1_000);
      await pause(ms, signal);
      signal.throwIfAborted();
    }
  }
}

/** One answer of a service, asked for again where it does not come. @throws as `resumableItems` */
export const retryWhileInterrupted = async <T>(
  terminal: Pick<Terminal, 'stderr' | 'pause'>,
  ask: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> => {
  const once = async function* () {
    yield await ask();
  };
  for await (const answer of resumableItems(terminal, once, signal)) return answer;
  throw new Error('There was neither an answer nor an error');
};
