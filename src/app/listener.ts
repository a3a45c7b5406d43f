import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { listen, type ListeningServer } from '../http/edge/listen.ts';
import { affordableConnections, readOpenFilesLimit } from '../http/open-files-limit.ts';
import { throttle } from '../lib/throttle.ts';
import type { CloseStack } from './close-stack.ts';
import type { AppOptions } from './options.ts';

/**
 * Of the time for a stop, what requests under way have; of 25 s it is 20 s, longer than any request may take: three
 * tries to deliver a code.
 */
const REQUESTS_SHARE = 0.8;
/** A flood can refuse thousands of connections; one line of the application log in 10 seconds tells the operator. */
const REFUSED_LOG_MS = 10_000;

type ListenerOptions = Pick<AppOptions, 'stopSeconds' | 'maxConnections' | 'trustedProxies' | 'keepAliveSeconds'>;

/** Creates the function that listens on a port, with as many connections as this process may open files for. */
export const createListener = (options: ListenerOptions, logger: Logger, closings: CloseStack) => {
  const { stopSeconds, trustedProxies, keepAliveSeconds } = options;
  const openFiles = readOpenFilesLimit();
  const affordable = affordableConnections(options.maxConnections, openFiles);
  if (affordable < options.maxConnections)
    logger.warn(
      { wanted: options.maxConnections, maxConnections: affordable, openFiles },
      'MAX_CONNECTIONS is lowered, because this process may open too few files',
    );
  const onRefused = throttle(REFUSED_LOG_MS, (reason: string) =>
    logger.warn({ reason }, 'A connection was refused, or an idle one was closed for a new one'),
  );
  return async (
    listener: RequestListener,
    host: string,
    port: number,
    maxConnections = affordable,
  ): Promise<ListeningServer> => {
    const bounds = { maxConnections, trustedProxies, keepAliveSeconds, onRefused };
    const listening = await listen(listener, host, port, bounds);
    const requestsMs = stopSeconds * 1_000 * REQUESTS_SHARE;
    closings.push({ what: 'requests under way', close: () => listening.stop(requestsMs) });
    return listening;
  };
};
