import Router from '@koa/router';
import { notFound } from '../errors.ts';
import type { Metrics } from '../metrics.ts';
import type { HostedProjector } from '../projector-host.ts';
import type { Context, State } from './context.ts';

/** Whether the request comes from this machine. */
const isLoopback = (address: string | undefined): boolean =>
  address !== undefined && /^(?:127\.|::1$|::ffff:127\.)/.test(address);

/** `/health/live` and `/health/ready`: no credentials. */
export const healthRoutes = (
  projector: Pick<HostedProjector, 'isCaughtUp' | 'waitsFor'>,
  isStopping: () => boolean,
): Router<State> => {
  const router = new Router<State>();
  router.get('/health/live', (ctx) => {
    ctx.body = { status: 'live' };
  });
  router.get('/health/ready', (ctx) => {
    const reason = isStopping()
      ? 'stopping'
      : projector.isCaughtUp()
        ? undefined
        : (projector.waitsFor() ?? 'the read models are being built');
    ctx.status = reason === undefined ? 200 : 503;
    ctx.body = reason === undefined ? { status: 'ready' } : { error: `Not ready: ${reason}` };
    if (reason !== undefined) ctx.set('Retry-After', '1');
  });
  return router;
};

export const sendMetrics = async (ctx: Context, { registry }: Metrics): Promise<void> => {
  ctx.type = registry.contentType;
  ctx.body = await registry.metrics();
};

/** `/metrics` on the service's own port: for this machine only, and not there for others. */
export const metricsRoute = (metrics: Metrics): Router<State> => {
  const router = new Router<State>();
  router.get('/metrics', async (ctx) => {
    if (!isLoopback(ctx.req.socket.remoteAddress)) throw notFound('There is nothing here');
    await sendMetrics(ctx, metrics);
  });
  return router;
};
