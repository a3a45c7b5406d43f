import type { LevelWithSilent } from 'pino';
import { ConfigError } from './config-error.ts';
import { readConsoleSettings } from './console.ts';
import { readCountries } from './countries.ts';
import { readApiKeys, readSecret, readTokenSettings, readWebhookSecret } from './credentials.ts';
import { holdsDemoCredential, type ConfiguredCredentials } from './demo.ts';
import { withEnvFile } from './env-file.ts';
import { readStoreSettings } from './stores.ts';
import { readTelemetryVariables } from './telemetry.ts';
import { readHttpUrl, readOrigins, readSecureUrl, readSmtpUrl } from './urls.ts';
import {
  isProduction,
  readAddressBlocks,
  readBoolean,
  readHost,
  readInteger,
  readOneOf,
  quote,
  readPath,
  withVariableReader,
  type Environment,
  type VariableReader,
} from './values.ts';
import type { ConsoleSettings } from '../console/settings.ts';
import type { ApiKey } from '../http/api-keys.ts';
import type { QuotaSettings } from '../http/daily-quotas.ts';
import type { RateLimitSettings } from '../http/rate-limit.ts';
import { DEFAULT_CLAIM_NAMES, type TokenSettings } from '../http/tokens.ts';
import { isLoopbackHost, type CidrBlock } from '../lib/ip-address.ts';
import type { LogInitPolicy } from '../log-identity/admit-log.ts';
import type { StoreSettings } from '../stores.ts';
import type { TelemetryVariables } from '../telemetry/settings.ts';

export { ConfigError, withEnvFile, type Environment };

/** The checked configuration of the service (decisions, Running it). */
export interface Config {
  /** No credential is configured: the demo's public ones are in force. */
  readonly isDemo: boolean;
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly stores: StoreSettings;
  /** When an event log begins where there is none. */
  readonly initPolicy: LogInitPolicy;
  readonly apiKeys: readonly ApiKey[];
  readonly tokens: TokenSettings;
  readonly codeSecret: string;
  readonly mfaPhoneUpdate: boolean;
  readonly legacyPhoneUpdate: boolean;
  /** Empty: all. */
  readonly smsCountries: readonly string[];
  readonly mail: { readonly kind: 'smtp'; readonly url: URL } | { readonly kind: 'log' };
  readonly sms: { readonly kind: 'webhook'; readonly url: URL } | { readonly kind: 'log' };
  readonly roads: { readonly kind: 'osrm'; readonly url: URL } | { readonly kind: 'estimate' };
  /** Undefined: webhooks are off. */
  readonly webhookSecret: string | undefined;
  /** Networks that webhooks may be sent to beside public addresses. */
  readonly webhookNetworks: readonly CidrBlock[];
  /** `perSecond` is 0 when a limit is off. */
  readonly rateLimit: RateLimitSettings;
  readonly anonymousRateLimit: RateLimitSettings;
  readonly quotas: QuotaSettings;
  readonly trustedProxies: readonly CidrBlock[];
  readonly maxConnections: number;
  readonly keepAliveSeconds: number;
  /** After it a stop ends, whatever hangs. */
  readonly stopSeconds: number;
  /** Its own port, or the service's for loopback clients alone. */
  readonly metrics: { readonly kind: 'own-port'; readonly port: number } | { readonly kind: 'loopback' };
  /** `*` is every origin. */
  readonly corsOrigins: readonly string[];
  /** Undefined: the operators' console is off. */
  readonly console: ConsoleSettings | undefined;
  readonly logLevel: LevelWithSilent;
  readonly consistencyWaitMs: number;
  /** Undefined without OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly telemetry: TelemetryVariables | undefined;
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
/** A mistyped `production` would open the service with the credentials of the demo. */
const NODE_ENVIRONMENTS = ['production', 'development', 'test'] as const;
const FEATURE_VARIABLES: readonly string[] = ['FEATURE_PHONE_UPDATE_MFA', 'FEATURE_PHONE_UPDATE_LEGACY'];
const MAX_PORT = 65_535;
const MAX_RATE = 1_000_000_000;
const MAX_WAIT_MS = 60_000;
const MAX_CONNECTIONS_ALLOWED = 1_000_000;
const MAX_KEEP_ALIVE_SECONDS = 86_400;
const MAX_STOP_SECONDS = 3_600;
/** Anonymous requests at once, in seconds of their rate. */
const ANONYMOUS_BURST_SECONDS = 5;

/** One of several variables. */
type AlternativeVariables = readonly string[];
const [API_KEYS, TOKENS, CODES]: readonly [AlternativeVariables, AlternativeVariables, AlternativeVariables] = [
  ['API_KEYS'],
  ['JWT_SECRET', 'JWKS_URL'],
  ['CODE_SECRET'],
];
/** Without any of them, outside of production, the demo's are in force. */
const CREDENTIAL_VARIABLES = [API_KEYS, TOKENS, CODES];
const DELIVERY_VARIABLES: readonly AlternativeVariables[] = [['SMTP_URL'], ['SMS_WEBHOOK_URL']];

/**
 * Reads the configuration from environment variables; an empty text counts as not set.
 *
 * @throws ConfigError with a line for each fault, without secrets
 */
export const loadConfig = (environment: Environment): Config =>
  withVariableReader(environment, (variables) => readConfig(variables, environment));

/** Which event log is used, and what is made from it. */
export type EventLogConfig = Pick<Config, 'stores' | 'initPolicy'>;

/** The stores alone. @throws ConfigError, of the variables that name them */
export const loadEventLogConfig = (environment: Environment): EventLogConfig =>
  withVariableReader(environment, (variables) => readEventLogConfig(variables));

/** The stores, and what personal data in their history is masked with. @throws ConfigError, of their variables */
export const loadHistoryConfig = (environment: Environment): EventLogConfig & Pick<Config, 'codeSecret'> =>
  withVariableReader(environment, (variables) => {
    refuseMissing(variables, [CODES]);
    const [log, codeSecret] = [readEventLogConfig(variables), readSecret(variables, 'CODE_SECRET')];
    return log && { ...log, codeSecret };
  });

/** The stores, and what tokens are signed with. @throws ConfigError, of their variables */
export const loadEventLogAndTokenConfig = (environment: Environment): EventLogConfig & Pick<Config, 'tokens'> =>
  withVariableReader(environment, (variables) => {
    refuseMissing(variables, [TOKENS]);
    const [log, tokens] = [readEventLogConfig(variables), readTokenSettings(variables)];
    return log && tokens && { ...log, tokens };
  });

const readEventLogConfig = (variables: VariableReader): EventLogConfig | undefined => {
  readNodeEnvironment(variables);
  const [stores, initPolicy] = [readStoresIn(variables), readLogInitPolicy(variables)];
  return stores && { stores, initPolicy };
};

/** Where the service listens. @throws ConfigError, of the variables that say so */
export const loadListenAddress = (environment: Environment): Pick<Config, 'host' | 'port'> =>
  withVariableReader(environment, (variables) => ({ host: readHostIn(variables), port: readPorts(variables).port }));

const readHostIn = (variables: VariableReader): string => readHost(variables, 'HOST') ?? '127.0.0.1';

const readNodeEnvironment = (variables: VariableReader) => readOneOf(variables, 'NODE_ENV', NODE_ENVIRONMENTS);

const readStoresIn = (variables: VariableReader): StoreSettings | undefined =>
  readStoreSettings(variables, readPath(variables, 'DATA_DIR') ?? './data');

const isSet = (variables: VariableReader, names: AlternativeVariables): boolean =>
  names.some((name) => variables.get(name) !== undefined);
const isDemoIn = (variables: VariableReader): boolean =>
  !isProduction(variables) && !CREDENTIAL_VARIABLES.some((names) => isSet(variables, names));

/** Refuses those of the used variables that are required and not set. Returns whether none is missing. */
const refuseMissing = (variables: VariableReader, used: readonly AlternativeVariables[]): boolean => {
  if (isDemoIn(variables)) return true;
  const isRequired = (names: AlternativeVariables) => isProduction(variables) || CREDENTIAL_VARIABLES.includes(names);
  const missing = used.filter((names) => isRequired(names) && !isSet(variables, names));
  const allowed = isProduction(variables)
    ? 'in production it must be given'
    : 'all credentials, or none of them for the demo';
  for (const names of missing) variables.refuse(names.join(' or '), 'is not set', allowed);
  return missing.length === 0;
};

const readConfig = (variables: VariableReader, environment: Environment): Config | undefined => {
  readNodeEnvironment(variables);
  const isComplete = refuseMissing(variables, [...CREDENTIAL_VARIABLES, ...DELIVERY_VARIABLES]);
  refuseUnknownFeatures(variables, environment);

  const host = readHostIn(variables);
  const stores = readStoresIn(variables);
  const apiKeys = readApiKeys(variables);
  const tokens = readTokenSettings(variables);
  const codeSecret = readSecret(variables, 'CODE_SECRET');
  const isDemo = isDemoIn(variables);
  const webhookSecret = readWebhookSecret(variables, isDemo);
  const console = readConsoleSettings(variables, isDemo, (tokens?.claims ?? DEFAULT_CLAIM_NAMES).roles);
  const [smtp, webhook, osrm] = [
    readSmtpUrl(variables, 'SMTP_URL'),
    readSecureUrl(variables, 'SMS_WEBHOOK_URL'),
    readHttpUrl(variables, 'ROAD_ROUTER_URL'),
  ];
  const allowsDemo = readBoolean(variables, 'ALLOW_DEMO') ?? false;
  if (!isProduction(variables) && !allowsDemo && isComplete && !isLoopbackHost(host))
    refuseDemo(variables, host, { apiKeys, tokens, codeSecret, webhookSecret, console });
  // Read here for its form alone: whether plaintext is allowed is asked for each URL.
  readBoolean(variables, 'ALLOW_PLAINTEXT');

  const settings: Omit<Config, 'stores' | 'tokens'> = {
    isDemo,
    host,
    initPolicy: readLogInitPolicy(variables),
    apiKeys,
    codeSecret,
    mfaPhoneUpdate: readBoolean(variables, 'FEATURE_PHONE_UPDATE_MFA') ?? true,
    legacyPhoneUpdate: readBoolean(variables, 'FEATURE_PHONE_UPDATE_LEGACY') ?? true,
    smsCountries: readCountries(variables, 'SMS_COUNTRIES'),
    mail: smtp ? { kind: 'smtp', url: smtp } : { kind: 'log' },
    sms: webhook ? { kind: 'webhook', url: webhook } : { kind: 'log' },
    roads: osrm ? { kind: 'osrm', url: osrm } : { kind: 'estimate' },
    webhookSecret,
    webhookNetworks: readAddressBlocks(variables, 'WEBHOOK_ALLOWED_NETWORKS'),
    ...readLimits(variables),
    trustedProxies: readAddressBlocks(variables, 'TRUSTED_PROXIES'),
    maxConnections: readInteger(variables, 'MAX_CONNECTIONS', 1, MAX_CONNECTIONS_ALLOWED) ?? 1_000,
    keepAliveSeconds: readInteger(variables, 'KEEP_ALIVE_SECONDS', 1, MAX_KEEP_ALIVE_SECONDS) ?? 65,
    stopSeconds: readInteger(variables, 'STOP_SECONDS', 1, MAX_STOP_SECONDS) ?? 25,
    ...readPorts(variables),
    corsOrigins: readOrigins(variables, 'CORS_ORIGINS'),
    console,
    logLevel: readOneOf(variables, 'LOG_LEVEL', LOG_LEVELS) ?? 'info',
    consistencyWaitMs: readInteger(variables, 'CONSISTENCY_WAIT_MS', 0, MAX_WAIT_MS) ?? 2_000,
    telemetry: readTelemetryVariables(variables, environment),
  };
  return stores && tokens && { ...settings, stores, tokens };
};

const LOG_ID_PATTERN = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const readLogInitPolicy = (variables: VariableReader): LogInitPolicy => {
  const id = variables.get('EVENT_LOG_ID');
  const isNow = readBoolean(variables, 'EVENT_LOG_INIT') ?? false;
  if (id !== undefined && !LOG_ID_PATTERN.test(id))
    variables.refuse(
      'EVENT_LOG_ID',
      `is ${quote(id)}`,
      'the identity of an event log, a UUID as hiring init prints it',
    );
  if (id !== undefined && isNow)
    variables.refuse(
      'EVENT_LOG_INIT',
      'is true beside EVENT_LOG_ID, with which no event log is begun',
      'one of the two',
    );
  if (id !== undefined) return { kind: 'never', id };
  if (isNow) return { kind: 'now' };
  return { kind: isProduction(variables) ? 'on request' : 'by itself' };
};

/** Everyone can read the demo's credentials: other machines must not be able to use them. */
const refuseDemo = (variables: VariableReader, host: string, held: ConfiguredCredentials): void => {
  if (!holdsDemoCredential(held)) return;
  variables.refuse(
    'HOST',
    `is ${quote(host)}, where other machines could use the public credentials of the demo`,
    'a loopback address, credentials of your own, or ALLOW_DEMO=true',
  );
};

/** The service's own prefix, under which a mistyped switch would be ignored in silence. */
const refuseUnknownFeatures = (variables: VariableReader, environment: Environment): void => {
  for (const [name, value] of Object.entries(environment))
    if (name.startsWith('FEATURE_') && value && !FEATURE_VARIABLES.includes(name))
      variables.refuse(name, 'is not a known feature', FEATURE_VARIABLES.join(', '));
};

const NO_RATE_LIMIT: RateLimitSettings = { perSecond: 0, burst: 0 };
const NO_QUOTAS: QuotaSettings = { eventsPerDay: 0, idempotencyRecordsPerDay: 0 };

/** RATE_LIMIT_PER_SECOND or RATE_LIMIT_BURST of 0 turns all limits and quotas off, any other variable only its own. */
const readLimits = (variables: VariableReader): Pick<Config, 'rateLimit' | 'anonymousRateLimit' | 'quotas'> => {
  const perSecond = readInteger(variables, 'RATE_LIMIT_PER_SECOND', 0, MAX_RATE) ?? 100;
  const burst = readInteger(variables, 'RATE_LIMIT_BURST', 0, MAX_RATE) ?? 200;
  const anonymous = readInteger(variables, 'RATE_LIMIT_ANONYMOUS_PER_SECOND', 0, MAX_RATE) ?? 20;
  const quotas = {
    eventsPerDay: readInteger(variables, 'QUOTA_EVENTS_PER_DAY', 0, MAX_RATE) ?? 20_000,
    idempotencyRecordsPerDay: readInteger(variables, 'QUOTA_IDEMPOTENCY_KEYS_PER_DAY', 0, MAX_RATE) ?? 20_000,
  };
  if (perSecond === 0 || burst === 0)
    return { rateLimit: NO_RATE_LIMIT, anonymousRateLimit: NO_RATE_LIMIT, quotas: NO_QUOTAS };
  return {
    rateLimit: { perSecond, burst },
    anonymousRateLimit: { perSecond: anonymous, burst: anonymous * ANONYMOUS_BURST_SECONDS },
    quotas,
  };
};

const readPorts = (variables: VariableReader): Pick<Config, 'port' | 'metrics'> => {
  const port = readInteger(variables, 'PORT', 0, MAX_PORT) ?? 8080;
  const own = readInteger(variables, 'METRICS_PORT', 0, MAX_PORT);
  if (own === undefined) return { port, metrics: { kind: 'loopback' } };
  if (own === port && own !== 0) variables.refuse('METRICS_PORT', 'is the same as PORT', 'another port, or none');
  return { port, metrics: { kind: 'own-port', port: own } };
};
