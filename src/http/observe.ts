import type { Logger } from 'pino';
import { writeScrubbed } from '../monitoring/logger.ts';
import type { Metrics } from '../monitoring/metrics.ts';
import type { Context, Step } from './context.ts';
import { requestLine } from './request-line.ts';

const MAX_PATH_LENGTH = 100;
const NONE = { name: 'none' };

/**
 * Makes the function that gives a request's path as the application log tells it. Paths hold identifiers of people, so the path of an
 * operation is told as its template. Any other is told by its first 100 characters, with `*` for each segment that no
 * template has: a client may have put a name, a phone number or a key there.
 *
 * @param templates the paths of all routes, such as `/internal/offices/:id`
 */
export const createLoggedPath = (templates: readonly string[]) => {
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
export type LoggedPath = ReturnType<typeof createLoggedPath>;

/**
 * One log line and one measurement a request. Neither holds a query string, a header or a body: they may hold what
 * is personal or secret.
 */
export const observe =
  (logger: Logger, { requests }: Metrics, loggedPath: LoggedPath): Step =>
  async (ctx, next) => {
    const started = process.hrtime.bigint();
    await next();
    const seconds = Number(process.hrtime.bigint() - started) / 1e9;
    const { requestId, isGivenId = false, operation = NONE, key } = ctx.state;
    requests.observe({ operation: operation.name, status: String(ctx.status) }, seconds);
    if (!logger.isLevelEnabled('info')) return;
    const line = requestLine({
      requestId,
      isGiven: isGivenId,
      operation,
      method: ctx.method,
      path: loggedPath(ctx),
      status: ctx.status,
      ms: Math.round(seconds * 1e4) / 10,
      key,
    });
    writeScrubbed(logger, line);
  };
