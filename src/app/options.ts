import type { Logger } from 'pino';
import type { ConsoleSettings } from '../console/settings.ts';
import type { HistoryWorkerOptions } from '../history/operations/history-worker.ts';
import type { WarehouseLimits } from '../history/operations/service-warehouse.ts';
import type { ApiKey } from '../http/api-keys.ts';
import type { HttpApiDefinition } from '../http/http-api-definition.ts';
import type { QuotaSettings } from '../http/daily-quotas.ts';
import type { RateLimitSettings } from '../http/rate-limit.ts';
import type { TokenSettings } from '../http/tokens.ts';
import type { CidrBlock } from '../lib/ip-address.ts';
import type { LogInitPolicy } from '../log-identity/admit-log.ts';
import type { Ports } from '../ports/index.ts';
import type { RoadRouter } from '../process-managers/road-router.ts';
import type { HostOptions } from '../projector-threads/host.ts';
import type { Projection } from '../projector/projection.ts';
import type { EventStoreOptions, StoreSettings } from '../stores.ts';
import type { TelemetryVariables } from '../telemetry/settings.ts';
import type { RetryPolicy } from '../webhooks/subscription-sender.ts';

/** What a business defines for the platform. */
export interface BusinessDomain extends HttpApiDefinition {
  readonly projections: readonly Projection[];
  /** Starts the thread that runs them: functions cannot be sent to one. */
  readonly startProjector: HostOptions['startThread'];
}

export interface AppOptions {
  readonly domain: BusinessDomain;
  readonly stores: StoreSettings;
  /** Left out: by itself. */
  readonly initPolicy?: LogInitPolicy;
  readonly ports: Ports;
  readonly logger: Logger;
  readonly apiKeys: readonly ApiKey[];
  readonly tokens: TokenSettings;
  readonly rateLimit: RateLimitSettings;
  /** For requests without valid credentials, by address. */
  readonly anonymousRateLimit: RateLimitSettings;
  readonly quotas: QuotaSettings;
  readonly trustedProxies: readonly CidrBlock[];
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
    readonly networks: readonly CidrBlock[];
    /** Left out: for three days. */
    readonly retries?: RetryPolicy;
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
  readonly threads?: AppThreadStarters | undefined;
}

export interface AppThreadStarters {
  readonly writer: EventStoreOptions['startWriter'];
  readonly projector: HostOptions['startThread'];
  readonly history: HistoryWorkerOptions['startThread'];
}
