import type { Static, TObject, TSchema } from 'typebox';
import type { Access } from '../command-handling/access.ts';
import type { Projection } from '../projector/projection.ts';
import type { ReadModels } from '../read-models/port.ts';

/** A request that has passed the edge: authorized, and valid by its schemas. */
export interface QueryRequest<Principal, Params extends TObject, Parameters extends TObject> {
  readonly principal: Principal;
  readonly params: Static<Params>;
  readonly parameters: Static<Parameters>;
}

/** One question, from the request to the answer. */
export interface Query<
  Principal = unknown,
  Params extends TObject = TObject,
  Parameters extends TObject = TObject,
> {
  /** The operation's name in OpenAPI and metrics. */
  readonly name: string;
  readonly summary: string;
  /** With `:name` for each member of `params`. */
  readonly path: string;
  readonly access: Access<Principal>;
  readonly params: Params;
  /** Of the query string. An integer among them is given as a number. */
  readonly parameters: Parameters;
  /** What a Consistency-Token waits for. */
  readonly reads: readonly Projection[];
  readonly response: TSchema;
  /** The statuses beyond those that every operation can answer. */
  readonly refusals: readonly number[];
  /**
   * The body of the 200; a list in it may be of JsonText. Throws a Refusal for another answer. It depends on the request and on what it
   * reads, and on nothing else, such as a clock: the answer is given again as long as what was read is as it was.
   */
  find(request: QueryRequest<Principal, Params, Parameters>, readModels: ReadModels): Promise<object>;
}

/** Infers the types of a query from its parts. */
export const defineQuery = <Principal, Params extends TObject, Parameters extends TObject>(
  query: Query<Principal, Params, Parameters>,
): Query<Principal, Params, Parameters> => query;
