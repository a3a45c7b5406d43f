import type { Logger } from 'pino';
import type { Metrics } from './metrics.ts';

/**
 * Threads that the service needs. While the writer hangs, `createWriteOutageMonitor` says first that nothing can be
 * stored.
 */
type ThreadName = 'writer' | 'projector' | 'history';

/** Tells of threads that do not answer: in the application log once each time, by a metric, and in the readiness. */
export const createThreadMonitor = (
  { hungThreads }: Pick<Metrics, 'hungThreads'>,
  logger: Pick<Logger, 'error' | 'info'>,
) => {
  const hung = new Set<ThreadName>();
  const gone = new Set<ThreadName>();
  return {
    /** To be called when a thread hangs, and when it answers again. */
    note(thread: ThreadName, isHung: boolean): void {
      hungThreads.set({ thread }, Number(isHung));
      if (isHung) {
        hung.add(thread);
        logger.error({ thread }, 'A thread does not answer; where it stays so, restart the service');
      } else {
        hung.delete(thread);
        logger.info({ thread }, 'A thread that did not answer does so again, or has ended');
      }
    },
    /** To be called when a thread has ended by itself. */
    ended: (thread: ThreadName): void => void gone.add(thread),
    /** To be called when another one has begun in the place of one that has ended. */
    begun: (thread: ThreadName): void => void gone.delete(thread),
    isAnswering: (thread: ThreadName): boolean => !hung.has(thread) && !gone.has(thread),
    /** Which threads hang, in words for any client; undefined while none does. */
    reason: (): string | undefined =>
      hung.size === 0 ? undefined : `the thread of the ${[...hung].join(' and that of the ')} does not answer`,
  };
};
export type ThreadMonitor = ReturnType<typeof createThreadMonitor>;
