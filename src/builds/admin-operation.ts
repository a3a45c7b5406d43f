import type { Static, TObject } from '../schema/typebox.ts';
import type { AccessPolicy, User } from '../access/access.ts';
import type { ActFilter, RecordedAct } from '../audit/acts.ts';
import type { DomainErrorReason } from '../errors/domain-error.ts';
import type { WebhooksState } from '../streams/webhooks.ts';
import type { ReadModels } from '../read-models/port.ts';
import type { ProjectionOverview } from './overview.ts';
import type { ProjectionOperations } from './operations.ts';
import type { RebuildPlan } from './plan.ts';
import type { ServiceOverview } from './service-overview.ts';

/** A request that has passed the edge: authorized, and valid by its schemas. */
interface AdminRequest<Params extends TObject, Body extends TObject, Parameters extends TObject, Principal = unknown> {
  readonly principal: Principal;
  readonly params: Static<Params>;
  readonly parameters: Static<Parameters>;
  readonly body: Static<Body>;
  readonly actor: string;
}

export interface AdminContext {
  /** Each change is recorded as an act of the user who asks. */
  readonly operations: ProjectionOperations;
  readonly overview: () => Promise<ProjectionOverview[]>;
  readonly service: () => Promise<ServiceOverview>;
  /** What a rebuild of a projection would take, by name. */
  readonly plan: (name: string) => Promise<RebuildPlan>;
  /** What operators and administrators did until now, oldest first. */
  readonly acts: (filter: Omit<ActFilter, 'now'>) => Promise<readonly RecordedAct[]>;
  readonly now: () => Date;
  /** Undefined: webhooks are off. */
  readonly webhooks?: WebhookReadContext | undefined;
}

/** What the reads of webhooks read. */
export interface WebhookReadContext {
  /** The subscriptions of an API key. */
  readonly subscriptionsOf: (keyName: string) => Promise<WebhooksState>;
  /** What deliveries keep. */
  readonly readModels: ReadModels;
  /** By the clock of the deliveries. */
  readonly now: () => Date;
}

/**
 * An operation for operators: it looks at builds of projections or changes them, or at what operators did. The events
 * that it appends are those of the audit.
 */
export interface AdminOperation<
  Params extends TObject = TObject,
  Body extends TObject = TObject,
  Response extends TObject = TObject,
  Parameters extends TObject = TObject,
  Principal = unknown,
> {
  /** The operation's name in OpenAPI and metrics. */
  readonly name: string;
  readonly summary: string;
  readonly method: 'GET' | 'POST';
  /** With `:name` for each member of `params`. */
  readonly path: string;
  readonly access: AccessPolicy<Principal>;
  readonly params: Params;
  /** Of the query string; left out: none. */
  readonly parameters?: Parameters;
  readonly body: Body;
  readonly status: number;
  readonly response: Response;
  /** The reasons beyond those of every operation. */
  readonly refusals: readonly DomainErrorReason[];
  /** Gives the body of the answer. @throws DomainError for a refusal */
  act(request: AdminRequest<Params, Body, Parameters, Principal>, context: AdminContext): Promise<Static<Response>>;
}

/** Infers the types of an operation from its parts. */
export const defineAdminOperation = <
  Params extends TObject,
  Body extends TObject,
  Response extends TObject,
  Parameters extends TObject = TObject,
  Principal = unknown,
>(
  operation: AdminOperation<Params, Body, Response, Parameters, Principal>,
): AdminOperation<Params, Body, Response, Parameters, Principal> => operation;

export interface ServerSentEventsDefinition {
  readonly name: string;
  readonly summary: string;
  readonly path: string;
  readonly access: AccessPolicy<User>;
  /** What each event tells, by its name. */
  readonly events: Readonly<Record<string, string>>;
}

export interface AdminApiDefinition {
  readonly operations: readonly AdminOperation[];
  readonly events: ServerSentEventsDefinition;
}
