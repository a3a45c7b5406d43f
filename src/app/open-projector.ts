import type { Logger } from 'pino';
import { reasonInFull } from '../lib/reason-in-full.ts';
import { throttleEach } from '../lib/throttle.ts';
import type { ThreadMonitor } from '../monitoring/thread-monitor.ts';
import type { Metrics } from '../monitoring/metrics.ts';
import { createProjectorLogCallbacks } from '../monitoring/projector-log-callbacks.ts';
import { hostProjector, type HostedProjector, type HostOptions } from '../projector-threads/host.ts';
import { unreachableServerMessageOf } from '../stores.ts';
import { SAME_FAILURE_MS, THREAD_RESTARTED_MESSAGE } from './failures.ts';

interface ProjectorOptions extends Pick<
  HostOptions,
  'stores' | 'telemetry' | 'startThread' | 'projections' | 'onAnotherLog'
> {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly threads: ThreadMonitor;
  readonly onFailure: (error: unknown) => void;
}

/** Starts the projector; what it reports goes to the application log and the metrics. */
export const openProjector = (options: ProjectorOptions): Promise<HostedProjector> => {
  const { logger, metrics, threads, onFailure, ...host } = options;
  const projectionFailed = throttleEach(
    SAME_FAILURE_MS,
    (projection: string, error: unknown) =>
      unreachableServerMessageOf(error) ?? `${projection}: ${reasonInFull(error)}`,
    (projection, error) => {
      if (unreachableServerMessageOf(error) === undefined)
        logger.error({ projection, err: error }, 'A projection failed and will try again');
      else logger.error({ reason: reasonInFull(error) }, 'Projections wait for a server until it answers');
    },
  );
  return hostProjector({
    ...host,
    servesRequests: true,
    onError: (projection, error) => {
      onFailure(error);
      projectionFailed(projection, error);
    },
    onDropped: (error) => {
      metrics.dropped.inc();
      logger.warn({ err: error }, 'A subscription was dropped and begins anew where it was');
    },
    onWarning: (line) => logger.warn(line),
    ...createProjectorLogCallbacks(logger),
    onEnded: (error) => {
      metrics.restarts.inc();
      threads.ended('projector');
      logger.error({ thread: 'projector', err: error }, THREAD_RESTARTED_MESSAGE);
    },
    onHung: (isHung) => threads.note('projector', isHung),
  });
};
