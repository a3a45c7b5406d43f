import type { Logger } from 'pino';
import type { Metrics } from '../metrics.ts';
import type { Step } from './context.ts';

/**
 * One log line and one measurement a request. Neither holds a query string, a header or a body: they may hold what
 * is personal or secret.
 */
export const observe =
  (logger: Logger, { requests }: Metrics): Step =>
  async (ctx, next) => {
    const started = process.hrtime.bigint();
    await next();
    const seconds = Number(process.hrtime.bigint() - started) / 1e9;
    const operation = ctx.state.operation ?? 'none';
    requests.observe({ operation, status: String(ctx.status) }, seconds);
    const { requestId, caller } = ctx.state;
    logger.info(
      {
        requestId,
        operation,
        method: ctx.method,
        path: ctx.path,
        status: ctx.status,
        ms: Math.round(seconds * 1e4) / 10,
        key: caller?.key.name,
      },
      'answered',
    );
  };
