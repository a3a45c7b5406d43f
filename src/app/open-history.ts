import type { Logger } from 'pino';
import type { Audit } from '../audit/audited.ts';
import { createHistoryWorker } from '../history/operations/history-worker.ts';
import { createServiceWarehouse } from '../history/operations/service-warehouse.ts';
import { routeReportsToWarehouse } from '../history/operations/warehouse-reports.ts';
import { createConcurrencyLimiter, type ConcurrencyLimiterOptions } from '../http/concurrency-limiter.ts';
import type { HttpOptions } from '../http/create-http-app.ts';
import { createFollowerLimit } from '../http/followers.ts';
import type { ThreadMonitor } from '../monitoring/thread-monitor.ts';
import type { CloseStack } from './close-stack.ts';
import { THREAD_RESTARTED_MESSAGE } from './failures.ts';
import type { AppOptions } from './options.ts';

/** Questions about the history that are answered at once: more would take their time from each other. */
const HISTORY_CONCURRENCY: ConcurrencyLimiterOptions = {
  all: 4,
  ofUser: 2,
  waitMs: 2_000,
  retryAfterSeconds: 1,
  refusal: (count, isOfUser) =>
    `${count} questions about the history ${isOfUser ? 'of yours ' : ''}are being answered already`,
};
/** Those that the warehouse answers: each has a process, whose memory may be large. */
const WAREHOUSE_CONCURRENCY: ConcurrencyLimiterOptions = {
  ...HISTORY_CONCURRENCY,
  all: 2,
  ofUser: 1,
  refusal: (count, isOfUser) =>
    `${count} question${count === 1 ? '' : 's'} of the warehouse ${isOfUser ? 'of yours ' : ''}${count === 1 ? 'is' : 'are'} being answered already`,
};

interface HistoryOptions extends Pick<AppOptions, 'stores' | 'maskSecret' | 'warehouse'> {
  readonly startThread: NonNullable<AppOptions['threads']>['history'] | undefined;
  readonly audit: Audit;
  readonly threads: ThreadMonitor;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** Opens what answers questions about the history: a thread, and the processes of the service's warehouse. */
export const openHistory = (options: HistoryOptions, closings: CloseStack): HttpOptions['history'] => {
  const { stores, maskSecret, startThread, audit, threads, logger, signal } = options;
  const reader = createHistoryWorker(
    { stores, maskSecret },
    {
      onDropped: (error) =>
        logger.warn({ err: error }, 'A subscription of the history was dropped and begins anew where it was'),
      onEnded(error) {
        threads.ended('history');
        logger.error({ thread: 'history', err: error }, THREAD_RESTARTED_MESSAGE);
      },
      onBegun: () => threads.begun('history'),
      onHung: (isHung) => threads.note('history', isHung),
      startThread,
    },
  );
  closings.push({ what: 'the thread of the history', close: () => reader.stop() });
  const warehouse = createServiceWarehouse({
    eventStore: stores.eventStore,
    maskSecret,
    onError: (error) => logger.error({ err: error }, 'The warehouse could not be made'),
    limits: options.warehouse,
    signal,
  });
  closings.push({ what: 'the processes of the warehouse', close: () => warehouse.stop() });
  return {
    reader: routeReportsToWarehouse(warehouse, reader),
    warehouse,
    audit,
    places: createConcurrencyLimiter(HISTORY_CONCURRENCY),
    warehousePlaces: createConcurrencyLimiter(WAREHOUSE_CONCURRENCY),
    followers: createFollowerLimit('the events', signal),
  };
};
