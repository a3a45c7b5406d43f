import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Koa from 'koa';
import type { Logger } from 'pino';
import { commands } from '../commands/index.ts';
import { projections } from '../projections/index.ts';
import { queries } from '../queries/index.ts';
import { measureCommutes } from './commute-measurer.ts';
import { Refusal } from './errors.ts';
import { openEmbeddedEventStore } from './event-store/embedded.ts';
import type { EventStore } from './event-store/port.ts';
import { createCommandHandler, type HandleCommand } from './handle-command.ts';
import { createKeyFinder, type ApiKey } from './http/api-keys.ts';
import { createCredentials } from './http/credentials.ts';
import { createHttp } from './http/create-http.ts';
import { listen, type Listening } from './http/listen.ts';
import { createRateLimit, type RateLimitSettings } from './http/rate-limit.ts';
import { sendMetrics } from './http/service-routes.ts';
import { createTokenVerifier, type TokenSettings } from './http/tokens.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import type { Ports } from './ports/index.ts';
import type { RoadRouter } from './ports/road-router.ts';
import { startProjector, type Projector } from './projector.ts';
import { openEmbeddedReadModels } from './read-models/embedded.ts';
import type { ReadModelStore } from './read-models/port.ts';

export interface AppOptions {
  /** Paths of the embedded files. */
  readonly eventsFile: string;
  readonly readModelsFile: string;
  readonly ports: Ports;
  readonly logger: Logger;
  readonly apiKeys: readonly ApiKey[];
  readonly tokens: TokenSettings;
  readonly rateLimit: RateLimitSettings;
  readonly corsOrigins: readonly string[];
  readonly consistencyWaitMs: number;
  /** Undefined: distances stay estimates. */
  readonly roadRouter?: RoadRouter | undefined;
  /** Undefined: `/metrics` is served beside the rest. */
  readonly metricsPort?: number | undefined;
}

/** The service without its port: what the tests, the seed and the server share. */
export interface App {
  readonly handle: HandleCommand;
  readonly eventStore: EventStore;
  readonly readModels: ReadModelStore;
  readonly projector: Projector;
  listen(host: string, port: number): Promise<Listening>;
  /** Finishes what is in flight, then closes the files. */
  stop(): Promise<void>;
}

const SHUTDOWN_MS = 10_000;

/** Wires the service: the one place that knows which adapters there are. */
export const createApp = async (options: AppOptions): Promise<App> => {
  const { ports, logger } = options;
  for (const file of [options.eventsFile, options.readModelsFile])
    mkdirSync(dirname(file), { recursive: true });
  const metrics = createMetrics();
  const eventStore = timed(await openEmbeddedEventStore(options.eventsFile), metrics);
  const readModels = await openEmbeddedReadModels(options.readModelsFile);
  const projector = await startProjector({
    eventStore,
    readModels,
    projections,
    onError: (projection, error) =>
      logger.error({ projection, err: error }, 'A projection failed and will try again'),
  });
  metrics.watchProjections(projector, eventStore);

  const handler = createCommandHandler(eventStore, ports);
  const handle = counted(handler.handle, metrics);
  const stopping = new AbortController();
  const measuring = options.roadRouter
    ? measureCommutes({
        readModels,
        projector,
        handler,
        router: options.roadRouter,
        onError: (error) =>
          logger.error({ err: error }, 'A road distance could not be measured; the estimate stands'),
        signal: stopping.signal,
      })
    : Promise.resolve();

  const http = createHttp({
    commands,
    queries,
    handle,
    edge: {
      credentials: createCredentials(createKeyFinder(options.apiKeys), createTokenVerifier(options.tokens)),
      limit: createRateLimit(options.rateLimit),
    },
    reading: { readModels, projector, consistencyWaitMs: options.consistencyWaitMs },
    metrics,
    servesMetrics: options.metricsPort === undefined,
    corsOrigins: options.corsOrigins,
    logger,
    isStopping: () => stopping.signal.aborted,
  });
  const listening: Listening[] = [];

  return {
    handle,
    eventStore,
    readModels,
    projector,
    async listen(host, port) {
      const main = await listen(http.callback(), host, port);
      listening.push(main);
      if (options.metricsPort !== undefined)
        listening.push(await listenForMetrics(metrics, host, options.metricsPort));
      return main;
    },
    async stop() {
      stopping.abort();
      await Promise.all(listening.map((one) => one.stop(SHUTDOWN_MS)));
      await measuring;
      await projector.stop();
      await readModels.close();
      await eventStore.close();
    },
  };
};

const listenForMetrics = (metrics: Metrics, host: string, port: number): Promise<Listening> => {
  const app = new Koa();
  app.use((ctx) => (ctx.path === '/metrics' ? sendMetrics(ctx, metrics) : undefined));
  return listen(app.callback(), host, port);
};

const timed = (eventStore: EventStore, { appends }: Metrics): EventStore => ({
  ...eventStore,
  async append(append) {
    const stopTimer = appends.startTimer();
    const result = await eventStore.append(append);
    stopTimer();
    return result;
  },
});

const counted =
  (handle: HandleCommand, { commands: counter }: Metrics): HandleCommand =>
  async (command, order, ports) => {
    try {
      const reply = await handle(command, order, ports);
      counter.inc({ command: command.name, outcome: 'done' });
      return reply;
    } catch (error) {
      counter.inc({ command: command.name, outcome: error instanceof Refusal ? 'refused' : 'failed' });
      throw error;
    }
  };
