import Router from '@koa/router';
import { notFound } from '../errors/domain-error.ts';
import type { Metrics } from '../monitoring/metrics.ts';
import type { Behind, Readiness } from '../monitoring/readiness.ts';
import type { IsLocal } from './client-address.ts';
import type { Context, State } from './context.ts';

const inWords = ({ projection, lagEvents, reason }: Behind): string =>
  `${projection}: ${lagEvents === null ? 'behind' : `${lagEvents} events behind`}, ${reason}`;

/** `/health/live` and `/health/ready`, without credentials. A degraded instance is ready. */
export const healthRoutes = (readiness: () => Promise<Readiness>): Router<State> => {
  const router = new Router<State>();
  router.get('/health/live', (ctx) => {
    ctx.body = { status: 'live' };
  });
  router.get('/health/ready', async (ctx) => {
    const answer = await readiness();
    if (answer.status !== 'not ready') {
      ctx.body = answer;
      return;
    }
    ctx.status = 503;
    ctx.set('Retry-After', '1');
    ctx.body = { error: `Not ready: ${[answer.reason, ...answer.projections.map(inWords)].join('; ')}` };
  });
  return router;
};

export const sendMetrics = async (ctx: Context, { registry }: Metrics): Promise<void> => {
  ctx.type = registry.contentType;
  ctx.body = await registry.metrics();
};

/** `/metrics` on the service's own port: a client on another machine gets a 404. */
export const metricsRoute = (metrics: Metrics, isLocal: IsLocal): Router<State> => {
  const router = new Router<State>();
  router.get('/metrics', async (ctx) => {
    if (!isLocal(ctx.req)) throw notFound('There is nothing here');
    await sendMetrics(ctx, metrics);
  });
  return router;
};
