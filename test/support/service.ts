import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { pino } from 'pino';
import { createApp, type App } from '../../src/app/create-app.ts';
import type { AppOptions } from '../../src/app/options.ts';
import { hiring } from '../../src/hiring/index.ts';
import type { Destination } from '../../src/ports/message-sender.ts';
import { randomIdAndCodeGenerator } from '../../src/ports/id-and-code-generator.ts';
import { NDJSON_MEDIA_TYPE, HTML_MEDIA_TYPE } from '../../src/history/operations/headers.ts';
import { createCodeCrypto } from '../../src/ports/code-crypto.ts';
import type { StoreSettings } from '../../src/stores.ts';
import { eventually } from './eventually.ts';
import { apiKeys, claims } from './examples.ts';
import { threadsHere } from './threads-here.ts';
import { webhookSecrets } from './sending.ts';
import { newServerStores } from './servers.ts';

export const jwtSecret = 'a secret of the tests, thirty-two bytes or more';

/** The clock of a test: stands still until the test moves it. */
export const createClock = (start: string) => {
  let now = Date.parse(start);
  return {
    now: () => new Date(now),
    advance(minutes: number) {
      now += minutes * 60_000;
    },
  };
};

/** A signed bearer token with any claims; valid for an hour of the real clock unless `expiresAt` says otherwise. */
export const tokenFor = (
  payload: Readonly<Record<string, unknown>>,
  expiresAt: string | number = '1h',
): Promise<string> =>
  new SignJWT({ ...payload })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime(expiresAt)
    .sign(Buffer.from(jwtSecret));

const tokens = new Map<keyof typeof claims, Promise<string>>();
/** The token that requests of an example carry: signed once, since tests send thousands of requests. */
const tokenAs = (as: keyof typeof claims): Promise<string> => {
  const signed = tokens.get(as) ?? tokenFor(claims[as], '1d');
  tokens.set(as, signed);
  return signed;
};

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON, or undefined without a body. */
  readonly body: unknown;
}

export interface Request {
  readonly as?: keyof typeof claims;
  /** undefined: by the path, internal or client; null: none. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface Service {
  readonly app: App;
  readonly url: string;
  readonly directory: string;
  readonly stores: StoreSettings;
  readonly clock: ReturnType<typeof createClock>;
  /** Codes that were delivered, newest last. */
  readonly delivered: { readonly to: Destination; readonly code: string }[];
  /** Who was told of a changed phone number, newest last. */
  readonly told: Destination[];
  /** Whether deliveries are rejected; a test may set it. */
  readonly failing: { delivery: boolean };
  /** Sends a request. Reads carry the newest Consistency-Token of earlier writes, so that they show those writes. */
  send(method: string, path: string, request?: Request): Promise<Answer>;
  /** Stops the service, does something to its files, and opens them again. */
  restart(between?: () => Promise<void>, expected?: { readonly isExpectedReady: boolean }): Promise<void>;
  stop(): Promise<void>;
}

/** Resolves once a service is ready; it listens before its stores answer. */
export const untilReady = async (url: string): Promise<void> => {
  // No connection stays idle, which the service would close while the test is busy.
  const headers = { Connection: 'close' };
  await eventually(
    'the service is ready',
    async () => (await fetch(`${url}/health/ready`, { headers })).status === 200,
  );
};

const isText = ({ headers }: Response): boolean => {
  const type = headers.get('Content-Type') ?? '';
  return type === NDJSON_MEDIA_TYPE || type.startsWith(HTML_MEDIA_TYPE);
};

/**
 * Starts the real service on a free port, with its own stores and a clock that the test moves: on files, or on the
 * servers that TEST_EVENTSTORE_URL and TEST_MONGODB_URL name.
 *
 * @param more what a test needs beyond that; `threads: undefined` are worker threads, as in production
 */
export const startService = async (more: Partial<AppOptions> = {}): Promise<Service> => {
  const directory = await mkdtemp(join(tmpdir(), 'hiring-'));
  const clock = createClock('2026-03-02T09:00:00.000Z');
  const delivered: Service['delivered'] = [];
  const told: Destination[] = [];
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const failing = { delivery: false };
  let consistencyToken = '';

  const onServers = newServerStores();
  const stores: StoreSettings = onServers?.stores ?? {
    eventStore: { kind: 'sqlite', path: join(directory, 'events.db') },
    readModels: { kind: 'sqlite', path: join(directory, 'read-models.db') },
  };

  const open = async () => {
    const app = await createApp({
      domain: hiring,
      stores,
      ports: {
        clock: clock.now,
        ids: randomIdAndCodeGenerator,
        secrets: createCodeCrypto('another secret of the tests, thirty-two bytes'),
        mfaPhoneUpdate: true,
        legacyPhoneUpdate: true,
        smsCountries: [],
        webhooks: more.webhooks && { secrets: webhookSecrets, isLoopbackAllowed: true },
        phoneChangeNotice: (to) => {
          if (failing.delivery) return Promise.reject(new Error('The test lets deliveries fail'));
          told.push(to);
          return Promise.resolve();
        },
        codes: (to, code) => {
          if (failing.delivery) return Promise.reject(new Error('The test lets deliveries fail'));
          delivered.push({ to, code });
          return Promise.resolve();
        },
      },
      logger: pino({ level: 'silent' }),
      apiKeys: [
        { scope: 'client', name: 'website', sha256: sha256(apiKeys.client) },
        { scope: 'internal', name: 'back-office', sha256: sha256(apiKeys.internal) },
      ],
      tokens: { kind: 'secret', secret: jwtSecret },
      rateLimit: { perSecond: 0, burst: 0 },
      anonymousRateLimit: { perSecond: 0, burst: 0 },
      quotas: { eventsPerDay: 0, idempotencyRecordsPerDay: 0 },
      trustedProxies: [],
      maxConnections: 1_000,
      keepAliveSeconds: 65,
      stopSeconds: 25,
      corsOrigins: [],
      consistencyWaitMs: 5_000,
      maskSecret: 'the secret of masks in the tests, 32 bytes',
      // A busy machine takes long to start its processes.
      warehouse: { firstWaitMs: 60_000 },
      // Telemetry can be set up once in a thread.
      threads: more.telemetry ? undefined : threadsHere,
      ...more,
    });
    const { url } = await app.listen('127.0.0.1', 0);
    return { app, url };
  };

  let running = await open();
  await untilReady(running.url);
  const service: Service = {
    get app() {
      return running.app;
    },
    get url() {
      return running.url;
    },
    directory,
    stores,
    clock,
    delivered,
    told,
    failing,
    async send(method, path, { as, key, headers = {}, body } = {}) {
      const keyed = key === undefined ? apiKeys[path.startsWith('/internal/') ? 'internal' : 'client'] : key;
      const response = await fetch(running.url + path, {
        method,
        headers: {
          ...(keyed === null ? {} : { 'X-API-Key': keyed }),
          ...(as === undefined ? {} : { Authorization: `Bearer ${await tokenAs(as)}` }),
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...(method === 'GET' && consistencyToken !== '' ? { 'Consistency-Token': consistencyToken } : {}),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const token = response.headers.get('Consistency-Token');
      if (token !== null && token > consistencyToken) consistencyToken = token;
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        // Lines of JSON and pages are left as they are.
        body: text === '' || isText(response) ? text || undefined : (JSON.parse(text) as unknown),
      };
    },
    async restart(between, { isExpectedReady } = { isExpectedReady: true }) {
      await running.app.stop();
      await between?.();
      running = await open();
      if (isExpectedReady) await untilReady(running.url);
    },
    async stop() {
      await running.app.stop();
      await onServers?.drop();
      await rm(directory, { recursive: true });
    },
  };
  return service;
};
