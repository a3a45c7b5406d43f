import type { Static, TObject } from '../schema/typebox.ts';
import type { AccessPolicy } from '../access/access.ts';
import type { DomainErrorReason } from '../errors/domain-error.ts';
import type { Projection } from '../projector/projection.ts';
import type { ReadModels } from '../read-models/port.ts';
import type { WithLazyJson } from './lazy-json.ts';

/** An authorized, valid request. */
interface QueryRequest<Principal, Params extends TObject, Parameters extends TObject> {
  readonly principal: Principal;
  readonly params: Static<Params>;
  readonly parameters: Static<Parameters>;
}

export interface Query<
  Principal = unknown,
  Params extends TObject = TObject,
  Parameters extends TObject = TObject,
  Response extends TObject = TObject,
> {
  /** The operation's name in OpenAPI and metrics. */
  readonly name: string;
  readonly summary: string;
  /** With `:name` for each member of `params`. */
  readonly path: string;
  readonly access: AccessPolicy<Principal>;
  readonly params: Params;
  /** Of the query string; an integer arrives as a number. */
  readonly parameters: Parameters;
  /** The projections that a Consistency-Token waits for. */
  readonly reads: readonly Projection[];
  readonly response: Response;
  /** The reasons beyond those of every operation. */
  readonly refusals: readonly DomainErrorReason[];
  /**
   * The body of the 200, in which lists may be encoded. It depends only on the request and on what it reads, not on a
   * clock: the answer is cached until what was read changes.
   *
   * @throws DomainError for a refusal
   */
  find(
    request: QueryRequest<Principal, Params, Parameters>,
    readModels: ReadModels,
  ): Promise<WithLazyJson<Static<Response>>>;
}

/** Infers the types of a query from its parts. */
export const defineQuery = <Principal, Params extends TObject, Parameters extends TObject, Response extends TObject>(
  query: Query<Principal, Params, Parameters, Response>,
): Query<Principal, Params, Parameters, Response> => query;
