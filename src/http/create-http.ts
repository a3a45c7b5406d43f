import cors from '@koa/cors';
import Router from '@koa/router';
import Koa from 'koa';
import type { Logger } from 'pino';
import type { AdminInterface } from '../rebuilds/admin-operation.ts';
import type { Command } from '../command-handling/command.ts';
import { notAcceptable } from './http-error.ts';
import type { HandleCommand } from '../command-handling/handle-command.ts';
import type { HistoryOperationBase } from '../history/operations/operation.ts';
import type { Metrics } from '../monitoring/metrics.ts';
import type { Query } from '../query-handling/query.ts';
import type { Readiness } from '../monitoring/readiness.ts';
import { adminRoute, type Administration } from './admin-route.ts';
import { admit, type Admission } from './admit.ts';
import { anonymousLimit } from './anonymous-limit.ts';
import type { FindKey } from './api-keys.ts';
import { createAsset, sendAsset } from './asset.ts';
import type { FindAddress, IsLocal } from './client-address.ts';
import { commandRoute } from './command-route.ts';
import { commonHeadersStep } from './common-headers.ts';
import type { Act, State, Middleware } from './context.ts';
import { findApiKey, type RecallCaller } from './credentials.ts';
import { docsPage } from './docs-page.ts';
import { errorAnswers } from './error-answers.ts';
import { EVENT_STREAM, serverSentEventsRoute, type StreamOptions } from './server-sent-events.ts';
import { createLoggedPath, observe } from './observe.ts';
import { openApiOf } from './openapi.ts';
import { readBackOf } from './preconditions.ts';
import { etagOfReadBack, queryRoute, type Reading } from './query-route.ts';
import type { QuotaOf } from './quotas.ts';
import type { RateLimit } from './rate-limit.ts';
import { reportFailures } from './report-failures.ts';
import { requestId } from './request-id.ts';
import { createRouteTable, type RouteStep } from './route-table.ts';
import { requestHead } from './request-head.ts';
import { isTracing } from '../telemetry/tracing.ts';
import { traced } from './traced.ts';
import { historyRoute, onlyType, QUESTION_COST, type HistoryRoutes } from './history-route.ts';
import { healthRoutes, metricsRoute, sendMetrics } from './service-routes.ts';
import { unreadBody } from './unread-body.ts';

export interface HttpOptions extends Admission {
  readonly commands: readonly Command[];
  readonly queries: readonly Query[];
  readonly admin: AdminInterface & { readonly context: Administration; readonly streams: StreamOptions };
  readonly history: { readonly questions: readonly HistoryOperationBase[]; readonly routes: HistoryRoutes };
  readonly handle: HandleCommand;
  readonly fingerprintOf: (request: string) => string;
  readonly quotaOf: QuotaOf;
  readonly findKey: FindKey;
  readonly recall: RecallCaller;
  /** For requests without valid credentials. */
  readonly anonymous: RateLimit;
  readonly addressOf: FindAddress;
  /** Whether a client is on this machine, and may read `/metrics`. */
  readonly isLocal: IsLocal;
  readonly reading: Reading;
  readonly readiness: () => Promise<Readiness>;
  readonly metrics: Metrics;
  /** False when `/metrics` has a port of its own. */
  readonly servesMetrics: boolean;
  readonly corsOrigins: readonly string[];
  readonly logger: Logger;
  readonly isStopping: () => boolean;
}

const crossOrigin = (origins: readonly string[]): Middleware =>
  cors({
    origin: (ctx) => {
      const origin = ctx.get('Origin');
      return origins.includes('*') ? '*' : origins.includes(origin) ? origin : '';
    },
    allowMethods: 'GET,HEAD,POST,PUT,PATCH',
    exposeHeaders:
      'X-Request-Id,Consistency-Token,ETag,Retry-After,RateLimit-Limit,RateLimit-Remaining,RateLimit-Reset,History-Position,History-Recorded-At,History-Code,History-Masks',
    maxAge: 3_600,
  });

/** An empty segment is a missing identifier; as a blank, the check of identifiers refuses it. */
const emptySegments: Act = (ctx) => {
  if (ctx.path.includes('//')) ctx.path = ctx.path.replaceAll(/\/(?=\/)/g, '/%20');
};

/** One step for several acts: each step costs a closure and a promise. */
const inOne =
  (...acts: readonly Act[]): Middleware =>
  (ctx, next) => {
    for (const act of acts) act(ctx);
    return next();
  };

/** What most clients send; it needs no negotiation. */
const PLAIN_ACCEPT = new Set(['*/*', 'application/json', 'application/json, text/plain, */*']);

/** Refuses an Accept that excludes JSON before anything is done (RFC 9110, 12.5.1). */
const onlyJson: RouteStep = (ctx, next) => {
  const { accept } = ctx.req.headers;
  if (accept !== undefined && !PLAIN_ACCEPT.has(accept)) {
    // Naming the answer's own charset does not exclude it.
    ctx.req.headers.accept = accept.replaceAll(/;\s*charset\s*=\s*"?utf-8"?/gi, '');
    if (!ctx.accepts('application/json'))
      throw notAcceptable('The Accept header must allow application/json');
  }
  return next();
};

/** The HTTP interface of the service. */
export const createHttp = (options: HttpOptions): Koa<State> => {
  const { commands, queries, admin, history, handle, addressOf, readiness, metrics } = options;
  const table = createRouteTable();
  const admitted = admit(options);
  // Without `onlyJson`: this route answers with an event stream.
  table.add(
    'GET',
    admin.events.path,
    onlyType(EVENT_STREAM),
    admitted(admin.events),
    serverSentEventsRoute(admin.streams),
  );
  for (const query of queries)
    table.add('GET', query.path, onlyJson, admitted(query), queryRoute(query, options.reading));
  for (const command of commands) {
    const readBack = readBackOf(command, queries);
    const etagOf = readBack && etagOfReadBack(readBack, options.reading);
    table.add(
      command.method,
      command.path,
      onlyJson,
      admitted(command),
      commandRoute(command, handle, options.fingerprintOf, options.quotaOf, etagOf),
    );
  }
  for (const operation of admin.operations)
    table.add(
      operation.method,
      operation.path,
      onlyJson,
      admitted(operation),
      adminRoute(operation, admin.context),
    );
  for (const question of history.questions)
    table.add(
      'GET',
      question.path,
      question.media === undefined ? onlyJson : onlyType(question.media),
      admitted(question, QUESTION_COST),
      historyRoute(question, history.routes),
    );
  // Made at the start: made for the first client, it would hold the event loop longer than a request without a key may.
  const description = JSON.stringify(openApiOf(commands, queries, admin, history.questions));
  const openApi = createAsset('application/json', () => description);
  table.add('GET', '/openapi.json', onlyJson, (ctx) => sendAsset(ctx, openApi, 'no-cache'));
  const beside = [healthRoutes(readiness), docsPage()];
  if (options.servesMetrics) beside.push(metricsRoute(metrics, options.isLocal));

  const app = createKoa(options, pathsOf([...table.routers(), ...beside]), options.recall);
  if (options.corsOrigins.length > 0) app.use(crossOrigin(options.corsOrigins));
  app.use(anonymousLimit(options.anonymous, addressOf));
  app.use(inOne(requestHead, emptySegments));
  app.use(table.routes);
  for (const router of beside) app.use(router.routes());
  app.use(new Router<State>().allowedMethods());
  return app;
};

/** Middleware that is added by `use` has no path. */
const pathsOf = (routers: readonly Router<State>[]): string[] =>
  routers.flatMap(({ stack }) => stack.flatMap(({ path }) => (typeof path === 'string' ? [path] : [])));

const isPremature = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';

type KoaOptions = Pick<HttpOptions, 'findKey' | 'addressOf' | 'logger' | 'metrics' | 'isStopping'>;

const createKoa = (
  { findKey, addressOf, logger, metrics, isStopping }: KoaOptions,
  paths: readonly string[],
  recall?: RecallCaller,
): Koa<State> => {
  const app = new Koa<State>();
  // Errors while an answer is sent: mostly the client has gone.
  app.on('error', (error: unknown) => {
    // A client that follows events leaves in the midst of the answer.
    if (isPremature(error)) return;
    logger.warn({ err: error }, 'An answer could not be sent');
  });
  app.use(unreadBody());
  app.use(inOne(requestId(findKey), findApiKey(findKey, recall)));
  const loggedPath = createLoggedPath(paths);
  // Telemetry starts before HTTP does.
  if (isTracing()) app.use(traced(loggedPath));
  app.use(observe({ logger, metrics, addressOf, loggedPath }));
  app.use(commonHeadersStep(isStopping));
  app.use(errorAnswers(reportFailures(logger, addressOf)));
  return app;
};

/** `/metrics` and nothing else, for a port of its own. */
export const createMetricsHttp = (options: KoaOptions): Koa<State> => {
  const app = createKoa(options, ['/metrics']);
  app.use(inOne(requestHead));
  app.use((ctx) => (ctx.path === '/metrics' ? sendMetrics(ctx, options.metrics) : undefined));
  return app;
};
