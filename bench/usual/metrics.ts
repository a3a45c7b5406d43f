import type { RouterMiddleware } from '@koa/router';
import { Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { State } from './authenticate.ts';

/** prom-client's default metrics, and a histogram of the requests by route and status. */
export const createMetrics = () => {
  const register = new Registry();
  collectDefaultMetrics({ register });
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer a request.',
    labelNames: ['method', 'route', 'status'] as const,
    registers: [register],
  });
  const observe: RouterMiddleware<State> = async (ctx, next) => {
    const end = duration.startTimer();
    await next();
    end({ method: ctx.method, route: String(ctx._matchedRoute), status: ctx.status });
  };
  const show: RouterMiddleware<State> = async (ctx) => {
    ctx.type = register.contentType;
    ctx.body = await register.metrics();
  };
  return { observe, show };
};
