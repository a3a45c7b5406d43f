import type { Logger } from 'pino';
import type { Metrics } from './metrics.ts';

/** Threads that the service needs, beside the one that writes the event log, of which `watchWrites` tells. */
export type NamedThread = 'projector' | 'history';

export interface HungThreads {
  /** To be called when a thread hangs, and when it answers again. */
  note(thread: NamedThread, isHung: boolean): void;
  /** Which threads hang, in words for any client; undefined while none does. */
  reason(): string | undefined;
}

/** Tells of threads that do not answer: in the application log once each time, by a metric, and in the readiness. */
export const watchThreads = (
  { hungThreads }: Pick<Metrics, 'hungThreads'>,
  logger: Pick<Logger, 'error' | 'info'>,
): HungThreads => {
  const hung = new Set<NamedThread>();
  return {
    note(thread, isHung) {
      hungThreads.set({ thread }, Number(isHung));
      if (isHung) {
        hung.add(thread);
        logger.error({ thread }, 'A thread does not answer; where it stays so, restart the service');
      } else {
        hung.delete(thread);
        logger.info({ thread }, 'A thread that did not answer does so again, or has ended');
      }
    },
    reason: () =>
      hung.size === 0
        ? undefined
        : `the thread of the ${[...hung].join(' and that of the ')} does not answer`,
  };
};
