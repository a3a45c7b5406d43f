import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { streamCategories } from '../../src/domain/index.ts';
import { DEFAULT_CLAIM_NAMES } from '../../src/http/tokens.ts';
import { ConfigError, loadConfig, withEnvFile } from '../../src/config/config.ts';
import { parseCidrBlock } from '../../src/lib/ip-address.ts';
import {
  DEMO_CODE_SECRET,
  DEMO_CONSOLE_SECRET,
  DEMO_JWT_SECRET,
  DEMO_WEBHOOK_SECRET,
  demoApiKeys,
  demoPlaintextApiKeys,
} from '../../src/config/demo.ts';
import { HASH, OTHER_HASH, OTHER_SECRET, SECRET, credentials } from './environments.ts';
import { directoryForEach } from '../support/files.ts';

describe('the configuration', () => {
  it('has the defaults of the decisions', () => {
    expect(loadConfig({})).to.deep.equal({
      isDemo: true,
      host: '127.0.0.1',
      port: 8080,
      stores: {
        eventStore: { kind: 'sqlite', path: 'data/events.db' },
        readModels: { kind: 'sqlite', path: 'data/read-models.db' },
      },
      initPolicy: { kind: 'by itself' },
      apiKeys: demoApiKeys,
      tokens: {
        kind: 'secret',
        secret: DEMO_JWT_SECRET,
        issuer: undefined,
        audience: undefined,
        mustExpire: false,
        claims: DEFAULT_CLAIM_NAMES,
      },
      codeSecret: DEMO_CODE_SECRET,
      mfaPhoneUpdate: true,
      legacyPhoneUpdate: true,
      smsCountries: [],
      mail: { kind: 'log' },
      sms: { kind: 'log' },
      roads: { kind: 'estimate' },
      webhookSecret: DEMO_WEBHOOK_SECRET,
      webhookNetworks: [],
      rateLimit: { perSecond: 100, burst: 200 },
      anonymousRateLimit: { perSecond: 20, burst: 100 },
      quotas: { eventsPerDay: 20_000, idempotencyRecordsPerDay: 20_000 },
      trustedProxies: [],
      maxConnections: 1_000,
      keepAliveSeconds: 65,
      stopSeconds: 25,
      metrics: { kind: 'loopback' },
      corsOrigins: [],
      console: { kind: 'demo', mode: 'on', sessionSecret: DEMO_CONSOLE_SECRET },
      logLevel: 'info',
      consistencyWaitMs: 2_000,
      telemetry: undefined,
    });
  });

  it('takes every variable of the table', () => {
    const environment = {
      NODE_ENV: 'test',
      HOST: '0.0.0.0',
      PORT: '0',
      DATA_DIR: '/var/lib/hiring',
      EVENT_STORE_URL: 'sqlite:/var/lib/hiring/log.db',
      READ_MODEL_URL: 'sqlite:views.db',
      API_KEYS: `client:app:${HASH}, internal:app:${OTHER_HASH.toUpperCase()}`,
      JWT_SECRET: SECRET,
      JWT_ISSUER: 'https://id.example.com',
      JWT_AUDIENCE: 'hiring',
      JWT_ROLES_CLAIM: 'https://example.com/roles',
      JWT_PROFESSIONAL_CLAIM: 'professional',
      JWT_OFFICE_CLAIM: 'app:office',
      CODE_SECRET: 'short',
      FEATURE_PHONE_UPDATE_MFA: 'false',
      FEATURE_PHONE_UPDATE_LEGACY: 'false',
      SMS_COUNTRIES: 'US, CA',
      SMTP_URL: 'smtps://post:p%2Fss@mail.example.com:465?tls.rejectUnauthorized=false',
      SMS_WEBHOOK_URL: 'https://sms.example.com/send?token=x',
      ROAD_ROUTER_URL: 'http://osrm:5000',
      RATE_LIMIT_PER_SECOND: '5',
      RATE_LIMIT_BURST: '10',
      RATE_LIMIT_ANONYMOUS_PER_SECOND: '3',
      QUOTA_EVENTS_PER_DAY: '1000',
      QUOTA_IDEMPOTENCY_KEYS_PER_DAY: '0',
      TRUSTED_PROXIES: '10.0.0.0/8, ::1',
      MAX_CONNECTIONS: '50',
      KEEP_ALIVE_SECONDS: '620',
      STOP_SECONDS: '9',
      METRICS_PORT: '0',
      CORS_ORIGINS: 'https://app.example.com, http://localhost:3000',
      CONSOLE: 'read-only',
      CONSOLE_URL: 'https://ops.example.com/hiring/console/',
      CONSOLE_OIDC_ISSUER: 'https://id.example.com/realms/ops',
      CONSOLE_OIDC_CLIENT_ID: 'hiring-console',
      CONSOLE_OIDC_CLIENT_SECRET: 'of the client',
      CONSOLE_SESSION_SECRET: OTHER_SECRET,
      WEBHOOK_SECRET: 'of webhooks',
      WEBHOOK_ALLOWED_NETWORKS: '10.1.0.0/16',
      LOG_LEVEL: 'silent',
      CONSISTENCY_WAIT_MS: '60000',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
      OTEL_SERVICE_NAME: 'hiring-eu',
    };

    expect(loadConfig(environment)).to.deep.equal({
      isDemo: false,
      host: '0.0.0.0',
      port: 0,
      stores: {
        eventStore: { kind: 'sqlite', path: '/var/lib/hiring/log.db' },
        readModels: { kind: 'sqlite', path: 'views.db' },
      },
      initPolicy: { kind: 'by itself' },
      apiKeys: [
        { scope: 'client', name: 'app', sha256: HASH },
        { scope: 'internal', name: 'app', sha256: OTHER_HASH },
      ],
      tokens: {
        kind: 'secret',
        secret: SECRET,
        issuer: 'https://id.example.com',
        audience: 'hiring',
        mustExpire: false,
        claims: { roles: 'https://example.com/roles', professional: 'professional', office: 'app:office' },
      },
      codeSecret: 'short',
      mfaPhoneUpdate: false,
      legacyPhoneUpdate: false,
      smsCountries: ['US', 'CA'],
      mail: { kind: 'smtp', url: new URL(environment.SMTP_URL) },
      sms: { kind: 'webhook', url: new URL(environment.SMS_WEBHOOK_URL) },
      roads: { kind: 'osrm', url: new URL(environment.ROAD_ROUTER_URL) },
      webhookSecret: 'of webhooks',
      webhookNetworks: [parseCidrBlock('10.1.0.0/16')],
      rateLimit: { perSecond: 5, burst: 10 },
      anonymousRateLimit: { perSecond: 3, burst: 15 },
      quotas: { eventsPerDay: 1_000, idempotencyRecordsPerDay: 0 },
      trustedProxies: [parseCidrBlock('10.0.0.0/8'), parseCidrBlock('::1')],
      maxConnections: 50,
      keepAliveSeconds: 620,
      stopSeconds: 9,
      metrics: { kind: 'own-port', port: 0 },
      corsOrigins: ['https://app.example.com', 'http://localhost:3000'],
      console: {
        kind: 'oidc',
        mode: 'read-only',
        url: new URL('https://ops.example.com/hiring/console'),
        issuer: new URL('https://id.example.com/realms/ops'),
        clientId: 'hiring-console',
        clientSecret: 'of the client',
        sessionSecret: OTHER_SECRET,
        rolesClaim: 'https://example.com/roles',
      },
      logLevel: 'silent',
      consistencyWaitMs: 60_000,
      telemetry: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_SERVICE_NAME: 'hiring-eu' },
    });
  });

  it('takes an empty text for not set', () => {
    const names = [
      'NODE_ENV',
      'HOST',
      'PORT',
      'DATA_DIR',
      'API_KEYS',
      'JWT_SECRET',
      'JWKS_URL',
      'SMTP_URL',
      'LOG_LEVEL',
      'CORS_ORIGINS',
      'FEATURE_X',
    ];

    expect(loadConfig(Object.fromEntries(names.map((name) => [name, ''])))).to.deep.equal(loadConfig({}));
  });

  it('ignores the rest of the environment', () => {
    expect(loadConfig({ PATH: '/usr/bin', API_KEY: 'x', JWT_SECRETS: 'x', RATE_LIMIT_BURSTS: 'x' })).to.deep.equal(
      loadConfig({}),
    );
  });

  it('puts both files into the data directory', () => {
    expect(loadConfig({ DATA_DIR: '/srv/hiring' }).stores).to.deep.equal({
      eventStore: { kind: 'sqlite', path: '/srv/hiring/events.db' },
      readModels: { kind: 'sqlite', path: '/srv/hiring/read-models.db' },
    });
  });

  it('takes servers for both stores', () => {
    const environment = {
      EVENT_STORE_URL: 'esdb://admin:changeit@one:2113,two:2113?tls=false',
      EVENT_STORE_PREFIX: 'hiring.',
      READ_MODEL_URL: 'mongodb://user:p%40ss@one,two:27018/hiring?replicaSet=rs0',
    };
    expect(loadConfig(environment).stores).to.deep.equal({
      eventStore: {
        kind: 'eventstoredb',
        url: environment.EVENT_STORE_URL,
        prefix: 'hiring.',
        categories: streamCategories,
      },
      readModels: { kind: 'mongodb', url: environment.READ_MODEL_URL },
    });
  });

  it('takes a JWKS URL in place of the secret', () => {
    const given = { ...credentials, JWT_SECRET: '', JWKS_URL: 'https://id.example.com/jwks' };
    expect(loadConfig(given)).to.deep.include({
      isDemo: false,
      tokens: {
        kind: 'jwks',
        url: new URL('https://id.example.com/jwks'),
        issuer: undefined,
        audience: undefined,
        mustExpire: false,
        claims: DEFAULT_CLAIM_NAMES,
      },
    });
  });

  it('turns the limit for anonymous requests off with RATE_LIMIT_ANONYMOUS_PER_SECOND=0, and no other', () => {
    expect(loadConfig({ RATE_LIMIT_ANONYMOUS_PER_SECOND: '0' })).to.deep.include({
      rateLimit: { perSecond: 100, burst: 200 },
      anonymousRateLimit: { perSecond: 0, burst: 0 },
    });
  });

  for (const name of ['RATE_LIMIT_PER_SECOND', 'RATE_LIMIT_BURST'])
    it(`turns all rate limits and quotas off with ${name}=0`, () => {
      const off = { perSecond: 0, burst: 0 };
      expect(loadConfig({ [name]: '0' })).to.deep.include({
        rateLimit: off,
        anonymousRateLimit: off,
        quotas: { eventsPerDay: 0, idempotencyRecordsPerDay: 0 },
      });
    });

  it('takes * for every origin', () => {
    expect(loadConfig({ CORS_ORIGINS: '*' }).corsOrigins).to.deep.equal(['*']);
  });
});

describe('the demo', () => {
  it('has keys whose hashes are those of the plain texts', () => {
    const hashes = Object.values(demoPlaintextApiKeys).map((key) => createHash('sha256').update(key).digest('hex'));

    expect(demoApiKeys.map(({ sha256 }) => sha256)).to.deep.equal(hashes);
  });

  for (const HOST of ['127.0.0.1', '127.9.9.9', 'localhost', 'LOCALHOST', '::1', '::ffff:127.0.0.1'])
    it(`may listen on ${HOST}`, () => {
      expect(loadConfig({ HOST })).to.include({ isDemo: true, host: HOST });
    });

  it('may listen anywhere with ALLOW_DEMO=true', () => {
    expect(loadConfig({ HOST: '0.0.0.0', ALLOW_DEMO: 'true' })).to.include({ isDemo: true, host: '0.0.0.0' });
  });
});

describe('the .env file', () => {
  const directory = directoryForEach('hiring-env-');
  const write = (text: string) => writeFileSync(join(directory(), '.env'), text);

  it('adds what the environment does not set', () => {
    write('# where\nHOST=0.0.0.0\nDATA_DIR="/srv/my data" # quoted\n');

    expect(withEnvFile({ PORT: '9000' }, directory())).to.deep.equal({
      PORT: '9000',
      HOST: '0.0.0.0',
      DATA_DIR: '/srv/my data',
    });
  });

  it('gives way to the environment', () => {
    write('PORT=1\n');

    expect(withEnvFile({ PORT: '2' }, directory())).to.deep.equal({ PORT: '2' });
  });

  it('need not be there', () => {
    expect(withEnvFile({ PORT: '2' }, directory())).to.deep.equal({ PORT: '2' });
  });

  it('is refused when it cannot be read', () => {
    mkdirSync(join(directory(), '.env'));

    expect(() => withEnvFile({}, directory())).to.throw(
      ConfigError,
      '.env cannot be read (EISDIR); allowed: a file that can be read, or none',
    );
  });
});
