import type { Logger } from 'pino';
import { writePreScrubbedLine } from '../monitoring/logger.ts';
import type { Metrics } from '../monitoring/metrics.ts';
import type { FindClientAddress } from './edge/client-address.ts';
import type { Context, Middleware } from './edge/context.ts';
import { requestLogLine } from './request-log-line.ts';

const MAX_PATH_LENGTH = 100;

/**
 * Makes the function that gives a request's path for the application log. Paths hold identifiers of people, so an
 * operation's path is logged as its template; any other by its first 100 characters, with `*` for segments that are in
 * no template, since a client may have put a name, a phone number or a key there.
 *
 * @param templates of all routes, such as `/internal/offices/:id`
 */
export const createPathScrubber = (templates: readonly string[]) => {
  const segments = new Set(
    templates.flatMap((template) => template.split('/').filter((segment) => !segment.startsWith(':'))),
  );
  return ({ state: { operation }, req: { url = '' } }: Pick<Context, 'state' | 'req'>): string => {
    if (operation) return operation.path;
    const [path = ''] = url.slice(0, MAX_PATH_LENGTH).split('?', 1);
    return path
      .split('/')
      .map((segment) => (segments.has(segment) ? segment : '*'))
      .join('/');
  };
};
export type PathScrubber = ReturnType<typeof createPathScrubber>;

interface ObserveOptions {
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'requests'>;
  readonly addressOf: FindClientAddress;
  readonly loggedPath: PathScrubber;
}

/**
 * Writes a line to the application log and a measurement. Neither holds query string, headers or body, which may be
 * personal or secret.
 */
export const logAndMeasureRequests =
  ({ logger, metrics: { requests }, addressOf, loggedPath }: ObserveOptions): Middleware =>
  async (ctx, next) => {
    const started = process.hrtime.bigint();
    const isLogged = logger.isLevelEnabled('info');
    // A socket that is closed meanwhile has no address.
    const address = isLogged ? addressOf(ctx.req) : undefined;
    await next();
    const seconds = Number(process.hrtime.bigint() - started) / 1e9;
    const operation = ctx.state.operation?.name ?? 'none';
    requests.observe({ operation, status: String(ctx.status) }, seconds);
    if (!isLogged) return;
    const ms = Math.round(seconds * 1e4) / 10;
    writePreScrubbedLine(logger, requestLogLine(ctx, loggedPath(ctx), ms, address));
  };
