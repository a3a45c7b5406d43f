import type { Static, TObject } from 'typebox';
import type { Access, User } from '../access/access.ts';
import type { Reason } from '../errors/domain-error.ts';
import type { ProjectionOverview } from './overview.ts';
import type { Operations } from './operations.ts';

/** A request that has passed the edge: authorized, and valid by its schemas. */
export interface AdminRequest<Params extends TObject, Body extends TObject> {
  readonly params: Static<Params>;
  readonly body: Static<Body>;
  /** The user who asks. */
  readonly actor: string;
}

export interface AdminContext {
  readonly operations: Operations;
  readonly overview: () => Promise<ProjectionOverview[]>;
}

/** An operation for operators: it looks at builds of projections or changes them, and no event. */
export interface AdminOperation<
  Params extends TObject = TObject,
  Body extends TObject = TObject,
  Response extends TObject = TObject,
> {
  /** The operation's name in OpenAPI and metrics. */
  readonly name: string;
  readonly summary: string;
  readonly method: 'GET' | 'POST';
  /** With `:name` for each member of `params`. */
  readonly path: string;
  readonly access: Access<User>;
  readonly params: Params;
  readonly body: Body;
  /** Of the answer. */
  readonly status: number;
  readonly response: Response;
  /** The reasons beyond those of every operation. */
  readonly refusals: readonly Reason[];
  /** Gives the body of the answer. @throws DomainError for a refusal */
  act(request: AdminRequest<Params, Body>, context: AdminContext): Promise<Static<Response>>;
}

/** Infers the types of an operation from its parts. */
export const defineAdminOperation = <Params extends TObject, Body extends TObject, Response extends TObject>(
  operation: AdminOperation<Params, Body, Response>,
): AdminOperation<Params, Body, Response> => operation;

/** Server-sent events. */
export interface EventStream {
  readonly name: string;
  readonly summary: string;
  readonly path: string;
  readonly access: Access<User>;
  /** What each event tells, by its name. */
  readonly events: Readonly<Record<string, string>>;
}

/** All operations for operators over HTTP. */
export interface AdminInterface {
  readonly operations: readonly AdminOperation[];
  readonly events: EventStream;
}
