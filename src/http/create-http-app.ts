import cors from '@koa/cors';
import Router from '@koa/router';
import Koa from 'koa';
import type { Logger } from 'pino';
import { isOfWarehouse } from '../history/operations/operation.ts';
import type { Metrics } from '../monitoring/metrics.ts';
import type { Readiness } from '../monitoring/readiness.ts';
import { adminRoute, type AdminRouteOptions } from './admin-route.ts';
import { admitCaller, type AdmitCallerOptions } from './admit.ts';
import { anonymousLimit } from './anonymous-limit.ts';
import { answerHeaderDescriptions } from './answer-headers.ts';
import type { FindApiKey } from './api-keys.ts';
import { createAsset, sendAsset } from './asset.ts';
import type { HttpApiDefinition } from './http-api-definition.ts';
import type { FindClientAddress, IsLocalClient } from './edge/client-address.ts';
import { commandRoute, type CommandRouteOptions } from './command-route.ts';
import { commonHeadersStep } from './edge/common-headers.ts';
import type { SyncStep, State, Middleware } from './edge/context.ts';
import { setRequestApiKey, type FindCachedCaller } from './authenticator.ts';
import { addDocsPage } from './docs-page.ts';
import { answerErrors } from './error-answers.ts';
import {
  EVENT_STREAM_MEDIA_TYPE,
  followProjectionsRoute,
  type FollowProjectionsOptions,
} from './follow-projections-route.ts';
import { requireAcceptable } from './content-negotiation.ts';
import { createPathScrubber, logAndMeasureRequests } from './log-and-measure-requests.ts';
import { openApiOf } from './openapi.ts';
import { readBackQueryOf } from './preconditions.ts';
import { createReadBackEtagFinder, queryRoute, type QueryRouteOptions } from './query-route.ts';
import type { RateLimitCheck } from './rate-limit.ts';
import { createFailureReporter } from './failure-reporter.ts';
import { assignRequestId } from './request-id.ts';
import { createSegmentRouter, type RouteStep, type SegmentRouter } from './segment-router.ts';
import { checkRequestHead } from './edge/request-head.ts';
import { hasCode } from '../lib/error.ts';
import { isTracing } from '../telemetry/tracing.ts';
import { traceRequests } from './trace-requests.ts';
import { historyRoute, QUESTION_COST, type HistoryRouteOptions } from './history-route.ts';
import { warehouseRoute, type WarehouseRouteOptions } from './warehouse-route.ts';
import { addHealthRoutes, addMetricsRoute, sendMetrics } from './service-routes.ts';
import { closeOnUnreadBody } from './edge/unread-body.ts';

export interface HttpOptions extends AdmitCallerOptions, CommandRouteOptions {
  readonly domain: HttpApiDefinition;
  readonly admin: { readonly context: AdminRouteOptions; readonly streams: FollowProjectionsOptions };
  readonly history: HistoryRouteOptions & WarehouseRouteOptions;
  readonly findKey: FindApiKey;
  /** For requests without valid credentials. */
  readonly anonymous: RateLimitCheck;
  readonly addressOf: FindClientAddress;
  /** Whether a client is on this machine, and may read `/metrics`. */
  readonly isLocal: IsLocalClient;
  readonly reading: QueryRouteOptions;
  readonly readiness: () => Promise<Readiness>;
  readonly metrics: Metrics;
  /** False when `/metrics` has a port of its own. */
  readonly servesMetrics: boolean;
  readonly corsOrigins: readonly string[];
  readonly logger: Logger;
  /** Told of each failure of a store. */
  readonly onUnavailable: (error: Error) => void;
  readonly isStopping: () => boolean;
  /** Left out: none. */
  readonly pages?: BrowserPages | undefined;
}

/** Pages beside the operations, whose users have sessions. */
export interface BrowserPages {
  /** Finds the session of a request, if it has one. */
  readonly findSession: Middleware;
  /** @returns the paths that are free of the limit for anonymous callers */
  readonly addRoutes: (table: SegmentRouter) => readonly string[];
}

const crossOrigin = (origins: readonly string[]): Middleware =>
  cors({
    origin: (ctx) => {
      const origin = ctx.get('Origin');
      return origins.includes('*') ? '*' : origins.includes(origin) ? origin : '';
    },
    allowMethods: 'GET,HEAD,POST,PUT,PATCH,DELETE',
    exposeHeaders: [...Object.keys(answerHeaderDescriptions), 'Allow'],
    maxAge: 3_600,
  });

/** An empty segment is a missing identifier; as a blank, the check of identifiers refuses it. */
const blankEmptySegments: SyncStep = (ctx) => {
  if (ctx.path.includes('//')) ctx.path = ctx.path.replaceAll(/\/(?=\/)/g, '/%20');
};

/** One step for several acts, since each step costs a closure and a promise. */
const combineSteps =
  (...acts: readonly SyncStep[]): Middleware =>
  (ctx, next) => {
    for (const act of acts) act(ctx);
    return next();
  };

/** The HTTP interface of the service. */
export const createHttpApp = (options: HttpOptions): Koa<State> => {
  const { domain, history, reading, metrics, pages } = options;
  const { commands, queries, admin, questions } = domain;
  const table = createSegmentRouter();
  const admitted = admitCaller(options);
  const add = (
    method: string,
    operation: Parameters<typeof admitted>[0],
    answer: RouteStep,
    media: readonly string[] = ['application/json'],
    cost = 1,
  ): void => table.add(method, operation.path, requireAcceptable(...media), admitted(operation, cost), answer);

  add('GET', admin.events, followProjectionsRoute(options.admin.streams), [EVENT_STREAM_MEDIA_TYPE]);
  for (const query of queries) add('GET', query, queryRoute(query, reading));
  for (const command of commands) {
    const readBack = readBackQueryOf(command, queries);
    const etagOf = readBack && createReadBackEtagFinder(readBack, reading);
    add(command.method, command, commandRoute(command, options, etagOf));
  }
  for (const operation of admin.operations)
    add(operation.method, operation, adminRoute(operation, options.admin.context));
  for (const question of questions) {
    const { media, method = 'GET', cost = QUESTION_COST } = question;
    const answer = isOfWarehouse(question) ? warehouseRoute(question, history) : historyRoute(question, history);
    add(method, question, answer, media, cost);
  }
  // Made at the start: made for the first client, it would hold the event loop longer than a request without a key may.
  const description = JSON.stringify(openApiOf(domain));
  const openApi = createAsset('application/json', () => description);
  table.add('GET', '/openapi.json', requireAcceptable('application/json'), (ctx) =>
    sendAsset(ctx, openApi, 'no-cache'),
  );
  addHealthRoutes(table, options.readiness);
  addDocsPage(table);
  if (options.servesMetrics) addMetricsRoute(table, metrics, options.isLocal);
  const free = pages?.addRoutes(table) ?? [];

  const app = createKoa(options, table.paths, options.credentials.recall);
  if (options.corsOrigins.length > 0) app.use(crossOrigin(options.corsOrigins));
  if (pages) app.use(pages.findSession);
  app.use(anonymousLimit(options.anonymous, options.addressOf, free));
  app.use(combineSteps(checkRequestHead, blankEmptySegments));
  app.use(table.routes).use(new Router<State>().allowedMethods());
  return app;
};

type KoaOptions = Pick<HttpOptions, 'findKey' | 'addressOf' | 'logger' | 'onUnavailable' | 'metrics' | 'isStopping'>;

const createKoa = (
  { findKey, addressOf, logger, onUnavailable, metrics, isStopping }: KoaOptions,
  paths: readonly string[],
  recall?: FindCachedCaller,
): Koa<State> => {
  const app = new Koa<State>();
  // Errors while an answer is sent. A client that follows events leaves in the midst of it.
  app.on('error', (error: unknown) => {
    if (!hasCode(error, 'ERR_STREAM_PREMATURE_CLOSE')) logger.warn({ err: error }, 'An answer could not be sent');
  });
  app.use(closeOnUnreadBody);
  app.use(combineSteps(assignRequestId(findKey), setRequestApiKey(findKey, recall)));
  const loggedPath = createPathScrubber(paths);
  // Telemetry starts before HTTP does.
  if (isTracing()) app.use(traceRequests(loggedPath));
  app.use(logAndMeasureRequests({ logger, metrics, addressOf, loggedPath }));
  app.use(commonHeadersStep(isStopping));
  app.use(answerErrors(createFailureReporter(logger, addressOf, onUnavailable)));
  return app;
};

/** `/metrics` and nothing else, for a port of its own. */
export const createMetricsHttpApp = (options: KoaOptions): Koa<State> => {
  const app = createKoa(options, ['/metrics']);
  app.use(combineSteps(checkRequestHead));
  app.use((ctx) => (ctx.path === '/metrics' ? sendMetrics(ctx, options.metrics) : undefined));
  return app;
};
