import { createAudit } from '../audit/audited.ts';
import { createLastBackupFinder } from '../audit/last-backup.ts';
import { osActor } from '../audit/os-actor.ts';
import { runCommuteMeasurer } from '../process-managers/commute-measurer.ts';
import { reasonInFull } from '../lib/reason-in-full.ts';
import type { EventStore } from '../event-store/port.ts';
import { createConsole } from '../console/create-console.ts';
import { createApiKeyFinder } from '../http/api-keys.ts';
import { createAnswerCache } from '../http/answer-cache.ts';
import { createAuthenticator } from '../http/authenticator.ts';
import { createHttpApp, createMetricsHttpApp } from '../http/create-http-app.ts';
import type { LogRefusedError } from '../log-identity/admit-log.ts';
import { createLogAdmission } from '../log-identity/log-admission.ts';
import type { ListeningServer } from '../http/edge/listen.ts';
import { createClientAddressFinder, createLocalClientCheck } from '../http/edge/client-address.ts';
import { createQuotaFinder } from '../http/daily-quotas.ts';
import { createRateLimitCheck } from '../http/rate-limit.ts';
import { createTokenVerifier } from '../http/tokens.ts';
import { startLagMonitor } from '../monitoring/lag-monitor.ts';
import { throttleEach } from '../lib/throttle.ts';
import { createMetrics } from '../monitoring/metrics.ts';
import { systemClock } from '../ports/clock.ts';
import type { HostedProjector } from '../projector-threads/host.ts';
import type { ReadModels } from '../read-models/port.ts';
import { createReadOutageMonitor } from '../monitoring/read-outage-monitor.ts';
import { createReadinessCheck } from '../monitoring/readiness.ts';
import { createServiceOverview } from '../monitoring/service-overview.ts';
import { createThreadMonitor } from '../monitoring/thread-monitor.ts';
import { openBuildRegistry, openReadModelReader, refuseUnusableStores } from '../stores.ts';
import { openMonitoredEventLog } from '../monitoring/monitored-event-log.ts';
import { createCloseStack, type CloseStack } from './close-stack.ts';
import { SAME_FAILURE_MS } from './failures.ts';
import { createListener } from './listener.ts';
import { openAdministration } from './open-administration.ts';
import { openCommandHandler } from './open-command-handler.ts';
import { openHistory } from './open-history.ts';
import { openProjector } from './open-projector.ts';
import type { AppOptions } from './options.ts';
import { createServedReadModelsProvider } from './served-read-models.ts';
import { startWebhookService } from '../webhooks/start-webhook-service.ts';

/** The service without its port: what the tests, the seed and the server share. */
export interface App {
  readonly eventStore: EventStore;
  readonly readModels: ReadModels;
  readonly projector: HostedProjector;
  listen(host: string, port: number): Promise<ListeningServer>;
  /** Rejects with LogRefusedError where the event log of a server turns out to be one that no service may run on. */
  readonly refused: Promise<never>;
  /** Finishes what is in flight, then closes the files. */
  stop(): Promise<void>;
  /** What is still open, in the order in which a stop closes it. */
  open(): readonly string[];
}

/** Prometheus needs one. */
const MAX_METRICS_CONNECTIONS = 32;

/** Wires the service; `src/stores.ts` chooses the adapters. Closes what it has opened when it fails. */
export const createApp = async (options: AppOptions): Promise<App> => {
  const closings = createCloseStack();
  try {
    return await wireApp(options, closings);
  } catch (error) {
    await closings.closeAll();
    throw error;
  }
};

const wireApp = async (options: AppOptions, closings: CloseStack): Promise<App> => {
  const { domain, ports, logger, stores } = options;
  const { projections } = domain;
  const metrics = createMetrics();
  if (options.telemetry) {
    const onFailure = (error: unknown) => logger.warn({ err: error }, 'Telemetry cannot be exported');
    const { startTelemetry } = await import('../telemetry/sdk.ts');
    const telemetry = startTelemetry(options.telemetry, onFailure, metrics.registry);
    closings.push({ what: 'the export of telemetry', close: () => telemetry.stop() });
  }
  await refuseUnusableStores(stores);
  let refuse: (error: LogRefusedError) => void = () => undefined;
  const refused = new Promise<never>((_resolve, reject) => {
    refuse = reject;
  });
  // Without this a rejection that nobody awaits yet would end the process.
  refused.catch(() => undefined);
  const logStart = createLogAdmission({
    stores,
    initPolicy: options.initPolicy ?? { kind: 'by itself' },
    actor: osActor(),
    onWarning: (line) => logger.warn(line),
    onRefused: (error) => refuse(error),
  });
  await logStart.beforeOpening();
  const threads = createThreadMonitor(metrics, logger);
  const log = await openMonitoredEventLog({
    settings: stores.eventStore,
    metrics,
    threads,
    logger,
    clock: ports.clock,
    startWriter: options.threads?.writer,
  });
  const { writes } = log;
  closings.push({ what: 'the event log', close: () => log.close() });
  const admitted = await logStart.opened(log.eventStore);
  const { eventStore } = admitted;
  closings.push({ what: 'the watch of which event log it is', close: () => admitted.stop() });
  const projector = await openProjector({
    stores,
    telemetry: options.telemetry,
    startThread: options.threads?.projector ?? domain.startProjector,
    projections,
    onAnotherLog: () => admitted.lookAgain(),
    onFailure: (error) => log.noteFailure(error),
    logger,
    metrics,
    threads,
  });
  closings.push({ what: 'the projector', close: () => projector.stop() });
  // After the projector's thread, which mends a damaged one.
  await admitted.note();
  const registry = await openBuildRegistry(stores.readModels);
  closings.push({ what: 'the build registry', close: () => registry.close() });
  const reads = createReadOutageMonitor(
    await openReadModelReader(stores.readModels, (build) => projector.damaged(build)),
    {
      onChange(error) {
        if (!error) logger.info('The read models are read again');
        else
          logger.error({ reason: reasonInFull(error) }, 'The read models cannot be read; it is tried until it works');
      },
    },
  );
  const { reader } = reads;
  // Closed before the connection that writes: the last one to close checkpoints the file.
  closings.push({
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
  const served = createServedReadModelsProvider(projections, reader, () => projector.served());
  const readModels: ReadModels = {
    get: (collection, id) => served().readModels.get(collection, id),
    find: (collection, find) => served().readModels.find(collection, find),
    count: (collection, filter) => served().readModels.count(collection, filter),
  };
  log.announceTo((position) => projector.appended(position));
  const lags = startLagMonitor({ eventStore, status: () => projector.status(), clock: ports.clock });
  closings.push({ what: 'the measuring of lags', close: () => lags.stop() });
  metrics.watchProjections(projector, lags);

  const handler = openCommandHandler({ eventStore, ports, metrics, logger }, closings);
  const stopping = new AbortController();
  const { signal } = stopping;
  const isStopping = () => signal.aborted;
  const { roadRouter } = options;
  if (roadRouter) {
    const onError = throttleEach(SAME_FAILURE_MS, reasonInFull, (error) =>
      logger.error({ reason: reasonInFull(error) }, 'ROAD_ROUTER_URL measures no distances now; estimates stand'),
    );
    const measuring = runCommuteMeasurer({ readModels, projector, handler, router: roadRouter, onError, signal });
    closings.push({ what: 'the measuring of distances', close: () => measuring });
  }

  const webhooks =
    ports.webhooks &&
    (await startWebhookService({
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
  if (webhooks) closings.push({ what: 'the delivery of webhooks', close: webhooks.close });
  const audit = createAudit(eventStore);
  const readiness = createReadinessCheck({
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
    lastBackup: createLastBackupFinder(eventStore),
  });

  const admin = openAdministration(
    {
      registry,
      projections,
      projector,
      reader,
      eventStore,
      audit,
      service,
      webhooks: webhooks?.reading,
      logger,
      signal,
    },
    closings,
  );
  const history = openHistory(
    {
      stores,
      maskSecret: options.maskSecret,
      warehouse: options.warehouse,
      startThread: options.threads?.history,
      audit,
      threads,
      logger,
      signal,
    },
    closings,
  );

  const findKey = createApiKeyFinder(options.apiKeys);
  const addressOf = createClientAddressFinder(options.trustedProxies);
  const ofKeys = createAuthenticator(createTokenVerifier(options.tokens));
  const pages = options.console && createConsole(options.console, logger);
  const onEveryPort = { findKey, addressOf, logger, onUnavailable: log.noteFailure, metrics, isStopping };
  const http = createHttpApp({
    ...onEveryPort,
    domain,
    admin,
    history,
    handle: handler.handle,
    credentials: pages?.withSessions(ofKeys) ?? ofKeys,
    pages,
    limit: createRateLimitCheck('caller', options.rateLimit, reader.createLimiter),
    quotaOf: createQuotaFinder(options.quotas, reader.createLimiter),
    fingerprintOf: (request) => ports.secrets.fingerprint(request),
    // Counted by this process alone: a flood must not reach the database.
    anonymous: createRateLimitCheck('anonymous', options.anonymousRateLimit),
    isLocal: createLocalClientCheck(options.trustedProxies),
    reading: {
      served,
      answers: createAnswerCache(),
      projector,
      consistencyWaitMs: options.consistencyWaitMs,
      eventLog: eventStore,
    },
    readiness,
    servesMetrics: options.metricsPort === undefined,
    corsOrigins: options.corsOrigins,
  });
  const listenOn = createListener(options, logger, closings);

  return {
    refused,
    eventStore,
    readModels,
    projector,
    async listen(host, port) {
      const main = await listenOn(http.callback(), host, port);
      const { metricsPort } = options;
      if (metricsPort !== undefined)
        await listenOn(createMetricsHttpApp(onEveryPort).callback(), host, metricsPort, MAX_METRICS_CONNECTIONS);
      return main;
    },
    async stop() {
      stopping.abort();
      await closings.closeAll();
    },
    open: closings.names,
  };
};
