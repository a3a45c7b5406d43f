import Router from '@koa/router';
import Koa from 'koa';
import helmet from 'koa-helmet';
import logger from 'koa-pino-logger';
import type { DestinationStream } from 'pino';
import { authenticate, type State } from './authenticate.ts';
import type { Database } from './database.ts';
import { errors } from './errors.ts';
import { limit } from './limit.ts';
import { createMetrics } from './metrics.ts';
import { addReads } from './reads.ts';
import { addSavePosting } from './save-posting.ts';

/** Headers that hold credentials. */
const redact = ['req.headers.authorization', 'req.headers["x-api-key"]'];

/** No load reaches it; nor does one reach the service's. */
const MAX_PER_SECOND = 1_000_000;

/**
 * The usual stack: what a team would write by hand for the same requests, with packages set up as they are documented.
 *
 * @param secret that bearer tokens are signed with
 */
export const createUsual = (database: Database, secret: string, log: DestinationStream): Koa => {
  const metrics = createMetrics();
  const router = new Router<State>();
  router.get('/metrics', metrics.show);
  router.use(metrics.observe, errors, authenticate(secret), limit(MAX_PER_SECOND));
  addReads(router, database);
  addSavePosting(router, database);

  const app = new Koa();
  app.use(logger({ redact }, log));
  app.use(helmet());
  app.use(router.routes());
  app.use(router.allowedMethods());
  return app;
};
