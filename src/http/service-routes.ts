import { notFound, unavailable } from '../errors/domain-error.ts';
import type { Metrics } from '../monitoring/metrics.ts';
import type { DegradedProjection, Readiness } from '../monitoring/readiness.ts';
import type { IsLocalClient } from './edge/client-address.ts';
import type { Context } from './edge/context.ts';
import type { SegmentRouter } from './segment-router.ts';

const lagText = ({ projection, lagEvents, reason }: DegradedProjection): string =>
  `${projection}: ${lagEvents === null ? 'behind' : `${lagEvents} events behind`}, ${reason}`;

/** `/health/live` and `/health/ready`, without credentials. A degraded instance is ready. */
export const addHealthRoutes = (table: SegmentRouter, readiness: () => Promise<Readiness>): void => {
  table.add('GET', '/health/live', (ctx) => {
    ctx.body = { status: 'live' };
  });
  table.add('GET', '/health/ready', async (ctx) => {
    const answer = await readiness();
    if (answer.status !== 'not ready') ctx.body = answer;
    else throw unavailable(`Not ready: ${[answer.reason, ...answer.projections.map(lagText)].join('; ')}`, 1);
  });
};

export const sendMetrics = async (ctx: Context, { registry }: Metrics): Promise<void> => {
  ctx.type = registry.contentType;
  ctx.body = await registry.metrics();
};

/** `/metrics` on the service's own port: a client on another machine gets a 404. */
export const addMetricsRoute = (table: SegmentRouter, metrics: Metrics, isLocal: IsLocalClient): void =>
  table.add('GET', '/metrics', async (ctx) => {
    if (!isLocal(ctx.req)) throw notFound('There is nothing here');
    await sendMetrics(ctx, metrics);
  });
