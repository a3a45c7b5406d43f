import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { readActs } from './audit/acts.ts';
import { createAudit } from './audit/audited.ts';
import { watchBackups } from './audit/last-backup.ts';
import { osActor } from './audit/os-actor.ts';

import type { AdminContext } from './builds/admin-operation.ts';
import { createFeed } from './builds/feed.ts';
import { createHistoryReader, type HistoryReaderOptions } from './history/operations/history-reader.ts';
import { withReportsOf } from './history/operations/warehouse-reports.ts';
import { createServiceWarehouse, type WarehouseLimits } from './history/operations/service-warehouse.ts';
import { createOperations } from './builds/operations.ts';
import { createOverview } from './builds/overview.ts';
import { createPlanSingleFlight, planRebuild } from './builds/plan.ts';
import { servedReadModels, type ServedIds } from './projector/build-projection.ts';
import { measureCommutes } from './process-managers/commute-measurer.ts';
import { DomainError } from './errors/domain-error.ts';
import { reasonInFull } from './lib/reason-in-full.ts';
import type { EventLog, EventStore, Position } from './event-store/port.ts';
import { createCommandHandler, type HandleCommand } from './application/handle-command.ts';
import { openConsole } from './console/open-console.ts';
import type { ConsoleSettings } from './console/settings.ts';
import { createKeyFinder, type ApiKey } from './http/api-keys.ts';
import { createAnswerCache } from './http/answer-cache.ts';
import { createCredentials } from './http/credentials.ts';
import { createHttp, createMetricsHttp } from './http/create-http.ts';
import type { LogInitPolicy, RefusedLog } from './log-identity/admission.ts';
import { createLogStart } from './log-identity/start.ts';
import { listen, type Listening } from './http/edge/listen.ts';
import { createAddressFinder, createLocalCheck } from './http/edge/client-address.ts';
import { affordableConnections, openFilesLimit } from './http/open-files.ts';
import type { HttpInterface } from './http/http-interface.ts';
import type { ServedReadModels } from './http/query-route.ts';
import { createFollowers } from './http/followers.ts';
import { createConcurrencyLimiter, type ConcurrencyLimiterOptions } from './http/concurrency-limiter.ts';
import { createQuotas, type QuotaSettings } from './http/quotas.ts';
import { createRateLimit, type RateLimitSettings } from './http/rate-limit.ts';
import { createTokenVerifier, type TokenSettings } from './http/tokens.ts';
import { watchLags } from './monitoring/lag-watch.ts';
import type { AddressBlock } from './lib/ip-address.ts';
import { throttle, throttleEach } from './lib/throttle.ts';
import { createMetrics, type Metrics } from './monitoring/metrics.ts';
import { systemClock } from './ports/clock.ts';
import type { CodeDelivery } from './ports/code-delivery.ts';
import type { Ports } from './ports/index.ts';
import type { RoadRouter } from './process-managers/road-router.ts';
import type { Projection } from './projector/projection.ts';
import { hostProjector, type HostedProjector, type HostOptions } from './projector-threads/host.ts';
import type { ReadModels } from './read-models/port.ts';
import { watchReads } from './monitoring/read-watch.ts';
import { createReadiness } from './monitoring/readiness.ts';
import { createServiceOverview } from './monitoring/service-overview.ts';
import { watchThreads } from './monitoring/hung-threads.ts';
import { projectorLines } from './monitoring/projector-lines.ts';
import { reportedNotice } from './monitoring/reported-notice.ts';
import {
  awaitedServer,
  openBuildRegistry,
  openReadModels,
  refuseUnusable,
  type LogOptions,
  type StoreSettings,
} from './stores.ts';
import { openWatchedLog } from './monitoring/watched-log.ts';
import type { TelemetryVariables } from './telemetry/settings.ts';
import { startTelemetry } from './telemetry/start.ts';
import { inSpan } from './telemetry/tracing.ts';
import { openWebhooks } from './webhooks/open-webhooks.ts';
import type { RetrySchedule } from './webhooks/subscriber.ts';

/** What the platform is told of a business. */
export interface Domain extends HttpInterface {
  readonly projections: readonly Projection[];
  /** Starts the thread that runs them: functions cannot be sent to one. */
  readonly startProjector: HostOptions['startThread'];
}

export interface AppOptions {
  readonly domain: Domain;
  readonly stores: StoreSettings;
  /** Left out: by itself. */
  readonly beginning?: LogInitPolicy;
  readonly ports: Ports;
  readonly logger: Logger;
  readonly apiKeys: readonly ApiKey[];
  readonly tokens: TokenSettings;
  readonly rateLimit: RateLimitSettings;
  /** For requests without valid credentials, by address. */
  readonly anonymousRateLimit: RateLimitSettings;
  readonly quotas: QuotaSettings;
  readonly trustedProxies: readonly AddressBlock[];
  /** Open at once, on the service's port. */
  readonly maxConnections: number;
  /** How long a connection on which no answer is due is kept alive. */
  readonly keepAliveSeconds: number;
  /** How long a stop may take. */
  readonly stopSeconds: number;
  readonly corsOrigins: readonly string[];
  readonly consistencyWaitMs: number;
  /** Keys the masks of personal data in the history. */
  readonly maskSecret: string;
  /** Undefined: distances stay estimates. */
  readonly roadRouter?: RoadRouter | undefined;
  /** Of deliveries, where the ports have webhooks. */
  readonly webhooks?: {
    /** Networks that they may be sent to beside public addresses. */
    readonly networks: readonly AddressBlock[];
    /** Left out: for three days. */
    readonly retries?: RetrySchedule;
  };
  /** Of the service's own warehouse; left out: the usual ones. */
  readonly warehouse?: Partial<WarehouseLimits> | undefined;
  /** Undefined: `/metrics` is served on the service's port. */
  readonly metricsPort?: number | undefined;
  /** Left out: there is no console. */
  readonly console?: ConsoleSettings | undefined;
  /** Undefined: neither spans nor metrics are exported. */
  readonly telemetry?: TelemetryVariables | undefined;
  /** Left out: appends, the projector and questions about the history have worker threads. */
  readonly threads?: AppThreads | undefined;
}

export interface AppThreads {
  readonly writer: LogOptions['startWriter'];
  readonly projector: HostOptions['startThread'];
  readonly history: HistoryReaderOptions['startThread'];
}

/** The service without its port: what the tests, the seed and the server share. */
export interface App {
  readonly handle: HandleCommand;
  readonly eventStore: EventStore;
  readonly readModels: ReadModels;
  readonly projector: HostedProjector;
  listen(host: string, port: number): Promise<Listening>;
  /** Rejects with RefusedLog where the event log of a server turns out to be one that no service may run on. */
  readonly refused: Promise<never>;
  /** Finishes what is in flight, then closes the files. */
  stop(): Promise<void>;
  /** What is still open, in the order in which a stop closes it. */
  open(): readonly string[];
}

/**
 * Of the time for a stop, what requests under way have; of 25 s it is 20 s, longer than any request may take: three
 * tries to deliver a code.
 */
const REQUESTS_SHARE = 0.8;
/** A flood can refuse thousands of connections; one line of the application log in 10 seconds tells the operator. */
const REFUSED_LOG_MS = 10_000;
/** A projection that fails tries again every few seconds, as long as its store cannot be used. */
const SAME_FAILURE_MS = 60_000;
/** Questions about the history that are answered at once: more would take their time from each other. */
const QUESTIONS: ConcurrencyLimiterOptions = {
  all: 4,
  ofUser: 2,
  waitMs: 2_000,
  retryAfterSeconds: 1,
  refusal: (count, isOfUser) =>
    `${count} questions about the history ${isOfUser ? 'of yours ' : ''}are being answered already`,
};
/** Those that the warehouse answers: each has a process, whose memory may be large. */
const WAREHOUSE_QUESTIONS: ConcurrencyLimiterOptions = {
  ...QUESTIONS,
  all: 2,
  ofUser: 1,
  refusal: (count, isOfUser) =>
    `${count} question${count === 1 ? '' : 's'} of the warehouse ${isOfUser ? 'of yours ' : ''}${count === 1 ? 'is' : 'are'} being answered already`,
};
const ENDED = 'A thread has ended by itself; another one is started';
/** Prometheus needs one. */
const MAX_METRICS_CONNECTIONS = 32;

/** Something that is open, and how it is closed; what was opened last is closed first. */
interface Closing {
  readonly what: string;
  readonly close: () => Promise<void>;
}

/** Wires the service; `stores.ts` chooses the adapters. Closes what it has opened when it fails. */
export const createApp = async (options: AppOptions): Promise<App> => {
  const opened: Closing[] = [];
  const closeAll = async () => {
    for (let next = opened.at(-1); next; next = opened.at(-1)) {
      await next.close();
      opened.pop();
    }
  };
  try {
    return await wire(options, opened, closeAll);
  } catch (error) {
    await closeAll();
    throw error;
  }
};

const wire = async (options: AppOptions, opened: Closing[], stop: () => Promise<void>): Promise<App> => {
  const { domain, ports, logger, stores } = options;
  const { projections } = domain;
  const metrics = createMetrics();
  if (options.telemetry) {
    const onFailure = (error: unknown) => logger.warn({ err: error }, 'Telemetry cannot be exported');
    const telemetry = await startTelemetry(options.telemetry, onFailure, metrics.registry);
    opened.push({ what: 'the export of telemetry', close: () => telemetry.stop() });
  }
  await refuseUnusable(stores);
  let refuse: (error: RefusedLog) => void = () => undefined;
  const refused = new Promise<never>((_resolve, reject) => {
    refuse = reject;
  });
  // Whoever waits for it is told all the same.
  refused.catch(() => undefined);
  const logStart = createLogStart({
    stores,
    beginning: options.beginning ?? { kind: 'by itself' },
    actor: osActor(),
    onWarning: (line) => logger.warn(line),
    onRefused: (error) => refuse(error),
  });
  await logStart.beforeOpening();
  const threads = watchThreads(metrics, logger);
  const log = await openWatchedLog({
    settings: stores.eventStore,
    metrics,
    threads,
    logger,
    clock: ports.clock,
    startWriter: options.threads?.writer,
  });
  const { writes } = log;
  opened.push({ what: 'the event log', close: () => log.close() });
  const admitted = await logStart.opened(log.eventStore);
  const { eventStore } = admitted;
  opened.push({ what: 'the watch of which event log it is', close: () => admitted.stop() });
  const projectionFailed = throttleEach(
    SAME_FAILURE_MS,
    (projection: string, error: unknown) => awaitedServer(error) ?? `${projection}: ${reasonInFull(error)}`,
    (projection, error) => {
      if (awaitedServer(error) === undefined)
        logger.error({ projection, err: error }, 'A projection failed and will try again');
      else logger.error({ reason: reasonInFull(error) }, 'Projections wait for a server until it answers');
    },
  );
  const projector = await hostProjector({
    stores,
    servesRequests: true,
    telemetry: options.telemetry,
    startThread: options.threads?.projector ?? domain.startProjector,
    projections,
    onError: (projection, error) => {
      log.noteFailure(error);
      projectionFailed(projection, error);
    },
    onDropped: (error) => {
      metrics.dropped.inc();
      logger.warn({ err: error }, 'A subscription was dropped and begins anew where it was');
    },
    onWarning: (line) => logger.warn(line),
    onAnotherLog: () => admitted.lookAgain(),
    ...projectorLines(logger),
    onEnded: (error) => {
      metrics.restarts.inc();
      threads.ended('projector');
      logger.error({ thread: 'projector', err: error }, ENDED);
    },
    onHung: (isHung) => threads.note('projector', isHung),
  });
  opened.push({ what: 'the projector', close: () => projector.stop() });
  // After the projector's thread, which mends a damaged one.
  await admitted.note();
  const registry = await openBuildRegistry(stores.readModels);
  opened.push({ what: 'the build registry', close: () => registry.close() });
  const reads = watchReads(await openReadModels(stores.readModels, (build) => projector.damaged(build)), {
    onChange(error) {
      if (!error) logger.info('The read models are read again');
      else
        logger.error(
          { reason: reasonInFull(error) },
          'The read models cannot be read; it is tried until it works',
        );
    },
  });
  const { reader } = reads;
  // Closed before the connection that writes: the last one to close checkpoints the file.
  opened.push({
    what: 'the read models',
    async close() {
      await reads.stop();
      await reader.close();
    },
  });
  projector.watch((touched) => {
    threads.begun('projector');
    reader.refresh(touched);
  });
  const served = servedNow(projections, reader, () => projector.served());
  const readModels: ReadModels = {
    get: (collection, id) => served().readModels.get(collection, id),
    find: (collection, find) => served().readModels.find(collection, find),
    count: (collection, filter) => served().readModels.count(collection, filter),
  };
  log.announceTo((position) => projector.appended(position));
  const lags = watchLags({ eventStore, status: () => projector.status(), clock: ports.clock });
  opened.push({ what: 'the measuring of lags', close: () => lags.stop() });
  metrics.watchProjections(projector, lags);

  const running = new Set<Promise<unknown>>();
  const track = (effect: Promise<unknown>): void => {
    running.add(effect);
    const forget = () => running.delete(effect);
    effect.then(forget, forget);
  };
  const phoneChangeNotice = reportedNotice(ports.phoneChangeNotice, metrics, logger);
  const codes: CodeDelivery = (to, code) =>
    inSpan('deliver code', { attributes: { 'hiring.channel': to.channel } }, () => ports.codes(to, code));
  const handler = createCommandHandler(
    eventStore,
    { ...ports, codes, phoneChangeNotice },
    { onBackground: track },
  );
  const counting = counted(handler.handle, metrics);
  const handle: HandleCommand = (...args) => {
    const reply = counting(...args);
    track(reply);
    return reply;
  };
  // Also commands whose client has gone, and what follows a command.
  opened.push({
    what: 'commands under way',
    async close() {
      while (running.size > 0) await Promise.allSettled(running);
    },
  });
  const stopping = new AbortController();
  const { signal } = stopping;
  const isStopping = () => signal.aborted;
  const { roadRouter } = options;
  if (roadRouter) {
    const onError = throttleEach(SAME_FAILURE_MS, reasonInFull, (error) =>
      logger.error(
        { reason: reasonInFull(error) },
        'ROAD_ROUTER_URL measures no distances now; estimates stand',
      ),
    );
    const measuring = measureCommutes({
      readModels,
      projector,
      handler,
      router: roadRouter,
      onError,
      signal,
    });
    opened.push({ what: 'the measuring of distances', close: () => measuring });
  }

  const webhooks =
    ports.webhooks &&
    (await openWebhooks({
      ...ports.webhooks,
      ...options.webhooks,
      eventStore,
      readModels: stores.readModels,
      keyNames: options.apiKeys.flatMap(({ scope, name }) => (scope === 'internal' ? [name] : [])),
      clock: ports.clock,
      metrics,
      logger,
      signal,
    }));
  if (webhooks) opened.push({ what: 'the delivery of webhooks', close: webhooks.close });
  const feed = createFeed({
    all: () => registry.all(),
    onError: (error) => logger.warn({ err: error }, 'The progress of builds could not be read'),
    signal,
  });
  opened.push({ what: 'the followers of builds', close: () => feed.ended() });
  // The clock that the projector's thread and the command line use for the same records.
  const { checkpoints, leases } = reader;
  const operations = createOperations(
    registry,
    projections,
    checkpoints,
    () => systemClock().toISOString(),
    () => projector.registryChanged(),
  );
  const acts: AdminContext['acts'] = (filter) => readActs(eventStore, { ...filter, now: systemClock() });
  const audit = createAudit(eventStore);
  const overview = createOverview({ registry, projections, projector, checkpoints, leases, eventStore });
  const plan = createPlanSingleFlight(async (name) => {
    const [projection, records] = [projections.find((each) => each.name === name), await registry.all()];
    if (!projection) throw new Error(`There is no projection ${name}`);
    return planRebuild(projection, records.get(name), eventStore);
  });
  const readiness = createReadiness({
    projections,
    projector,
    lags,
    reads,
    writes,
    lack: () => logStart.lack(),
    threads,
    damage: () => log.damage(),
    isStopping,
  });
  const service = createServiceOverview({
    stores,
    clock: systemClock,
    eventStore,
    readiness,
    threads,
    lastBackup: watchBackups(eventStore),
  });

  const historyReader = createHistoryReader(
    { stores, maskSecret: options.maskSecret },
    {
      onDropped: (error) =>
        logger.warn({ err: error }, 'A subscription of the history was dropped and begins anew where it was'),
      onEnded(error) {
        threads.ended('history');
        logger.error({ thread: 'history', err: error }, ENDED);
      },
      onBegun: () => threads.begun('history'),
      onHung: (isHung) => threads.note('history', isHung),
      startThread: options.threads?.history,
    },
  );
  opened.push({ what: 'the thread of the history', close: () => historyReader.stop() });
  const warehouse = createServiceWarehouse({
    eventStore: stores.eventStore,
    maskSecret: options.maskSecret,
    onError: (error) => logger.error({ err: error }, 'The warehouse could not be made'),
    limits: options.warehouse,
    signal,
  });
  opened.push({ what: 'the processes of the warehouse', close: () => warehouse.stop() });

  const findKey = createKeyFinder(options.apiKeys);
  const addressOf = createAddressFinder(options.trustedProxies);
  const ofKeys = createCredentials(createTokenVerifier(options.tokens));
  const pages = options.console && openConsole(options.console, logger);
  const onEveryPort = { findKey, addressOf, logger, onUnavailable: log.noteFailure, metrics, isStopping };
  const http = createHttp({
    ...onEveryPort,
    domain,
    admin: {
      context: {
        operations,
        audit,
        overview,
        service,
        plan,
        acts,
        now: systemClock,
        webhooks: webhooks?.reading,
      },
      streams: { feed, followers: createFollowers('the builds', signal) },
    },
    history: {
      reader: withReportsOf(warehouse, historyReader),
      warehouse,
      audit,
      places: createConcurrencyLimiter(QUESTIONS),
      warehousePlaces: createConcurrencyLimiter(WAREHOUSE_QUESTIONS),
      followers: createFollowers('the events', signal),
    },
    handle,
    credentials: pages?.withSessions(ofKeys) ?? ofKeys,
    pages,
    limit: createRateLimit('caller', options.rateLimit, reader.createLimiter),
    quotaOf: createQuotas(options.quotas, reader.createLimiter),
    fingerprintOf: (request) => ports.secrets.fingerprint(request),
    // Counted by this process alone: a flood must not reach the database.
    anonymous: createRateLimit('anonymous', options.anonymousRateLimit),
    isLocal: createLocalCheck(options.trustedProxies),
    reading: {
      served,
      answers: createAnswerCache(),
      projector,
      consistencyWaitMs: options.consistencyWaitMs,
      recordAt: (position) => eventStore.recordAt(position),
      traceparentAt: (position) => traceparentAt(eventStore, position),
    },
    readiness,
    servesMetrics: options.metricsPort === undefined,
    corsOrigins: options.corsOrigins,
  });
  const openFiles = openFilesLimit();
  const requestsMs = options.stopSeconds * 1_000 * REQUESTS_SHARE;
  const maxConnections = affordableConnections(options.maxConnections, openFiles);
  if (maxConnections < options.maxConnections)
    logger.warn(
      { wanted: options.maxConnections, maxConnections, openFiles },
      'MAX_CONNECTIONS is lowered, because this process may open too few files',
    );
  const onRefused = throttle(REFUSED_LOG_MS, (reason: string) =>
    logger.warn({ reason }, 'A connection was refused, or an idle one was closed for a new one'),
  );
  const listenOn = async (listener: RequestListener, host: string, port: number, most = maxConnections) => {
    const listening = await listen(listener, host, port, {
      maxConnections: most,
      trustedProxies: options.trustedProxies,
      keepAliveSeconds: options.keepAliveSeconds,
      onRefused,
    });
    opened.push({ what: 'requests under way', close: () => listening.stop(requestsMs) });
    return listening;
  };

  return {
    handle,
    refused,
    eventStore,
    readModels,
    projector,
    async listen(host, port) {
      const main = await listenOn(http.callback(), host, port);
      if (options.metricsPort !== undefined) {
        const metricsHttp = createMetricsHttp(onEveryPort);
        await listenOn(metricsHttp.callback(), host, options.metricsPort, MAX_METRICS_CONNECTIONS);
      }
      return main;
    },
    async stop() {
      stopping.abort();
      await stop();
    },
    open: () => opened.map(({ what }) => what).reverse(),
  };
};

/** The span that led to the event at a position, as the event keeps it. */
const traceparentAt = async (eventLog: EventLog, position: Position): Promise<string | undefined> => {
  const { stream, revision } = (await eventLog.recordAt(position)) ?? {};
  if (typeof stream !== 'string') return undefined;
  const [event] = await eventLog.readStream(stream, revision);
  const found = event?.position === position ? event.metadata['traceparent'] : undefined;
  return typeof found === 'string' ? found : undefined;
};

const servedNow = (
  projections: readonly Projection[],
  reader: Awaited<ReturnType<typeof openReadModels>>,
  ids: () => ServedIds,
): (() => ServedReadModels) => {
  const { track } = reader;
  const serve = (own: ServedIds) => ({
    ids: own,
    readModels: servedReadModels(reader, projections, own),
    validity: { isCurrent: true },
    track:
      track &&
      (() => {
        const { readModels, validities } = track();
        return { readModels: servedReadModels(readModels, projections, own), validities };
      }),
  });
  let known: ReturnType<typeof serve> | undefined;
  return () => {
    const own = ids();
    if (known?.ids === own) return known;
    if (known) known.validity.isCurrent = false;
    return (known = serve(own));
  };
};

const counted =
  (handle: HandleCommand, { commands: counter }: Metrics): HandleCommand =>
  async (command, envelope, ports) => {
    try {
      const reply = await handle(command, envelope, ports);
      counter.inc({ command: command.name, outcome: 'done' });
      return reply;
    } catch (error) {
      counter.inc({ command: command.name, outcome: error instanceof DomainError ? 'refused' : 'failed' });
      throw error;
    }
  };
