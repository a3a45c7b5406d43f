import type { Static, TObject, TSchema } from '../schema/typebox.ts';
import type { AccessPolicy } from '../access/access.ts';
import type { Decider } from '../streams/decider.ts';
import type { DomainError, DomainErrorReason } from '../errors/domain-error.ts';
import type { EventDefinition, NewEventOf } from '../streams/events.ts';
import type { Repository } from './repository.ts';
import type { Ports } from '../ports/index.ts';

/** What `prepare` is given of an authorized, valid request. */
export interface AuthorizedRequest<Principal, Params extends TObject, Body extends TObject> {
  readonly principal: Principal;
  readonly params: Static<Params>;
  readonly body: Static<Body>;
  /** The header X-Service-MFA-Token. */
  readonly mfaToken?: string | undefined;
}

/** What `prepare` may use. */
export interface CommandContext {
  readonly ports: Ports;
  /** Now, in RFC 3339. */
  readonly now: string;
  readonly load: Repository['load'];
  /**
   * Returns a function that decides and appends before the command's own decision. Its first call checks the request's
   * preconditions against the stream `id` of the command.
   */
  readonly appenderFor: (id: string) => DecideAndAppend;
}

/** What `afterwards` may use; the request's preconditions do not apply to it. */
export interface AfterwardsContext extends Omit<CommandContext, 'appenderFor'> {
  readonly append: DecideAndAppend;
}

/** Resolves to the state afterwards. */
export type DecideAndAppend = <State, D extends readonly EventDefinition[]>(
  decider: Decider<State, D>,
  id: string,
) => (decide: (state: State) => readonly NewEventOf<D[number]>[]) => Promise<State>;

/** Schemas of bodies by status; null for no body. */
type Responses = Readonly<Record<number, TSchema | null>>;

type BodyOf<Schema> = Schema extends TSchema ? { readonly body: Static<Schema> } : { readonly body?: undefined };
/** A declared status with the body of its schema. */
type ReplyOf<Declared extends Responses> = {
  [Status in keyof Declared & number]: { readonly status: Status } & BodyOf<Declared[Status]>;
}[keyof Declared & number];

/** One command, in the order in which its parts run. */
export interface Command<
  Principal = unknown,
  Params extends TObject = TObject,
  Body extends TObject = TObject,
  State = unknown,
  Definitions extends readonly EventDefinition[] = readonly EventDefinition[],
  Input extends { readonly id: string } = { readonly id: string },
  Result = unknown,
  Declared extends Responses = Responses,
  Reply extends ReplyOf<Declared> = ReplyOf<Declared>,
> {
  /** The operation's name in OpenAPI and metrics. */
  readonly name: string;
  readonly summary: string;
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `:name` for each member of `params`. */
  readonly path: string;
  readonly access: AccessPolicy<Principal>;
  readonly params: Params;
  readonly body: Body;
  readonly takesMfaToken?: boolean;
  /** `prepare` has an effect that cannot be undone (it sends a code), so an Idempotency-Key is claimed first. */
  readonly hasEffectOutside?: boolean;
  readonly decider: Decider<State, Definitions>;
  /** Fetches and checks what the decision needs, once for all retries. `id` names the stream to decide on. */
  prepare(request: AuthorizedRequest<Principal, Params, Body>, context: CommandContext): Promise<Input> | Input;
  /**
   * Pure. Returns no events when the state already is as asked.
   *
   * @throws DomainError when the state forbids the command; then nothing is stored
   */
  decide(state: State, input: Input): readonly NewEventOf<Definitions[number]>[];
  /**
   * Pure. Makes the result from the state after the events, if any. A DomainError is answered after they were stored: a
   * wrong code counts. The result is stored with an Idempotency-Key, so it must hold no secret.
   */
  outcome(state: State, input: Input, isChanged: boolean): Result | DomainError;
  readonly responses: Declared;
  /** The reasons beyond those of every operation. */
  readonly refusals: readonly DomainErrorReason[];
  respond(result: Result, ports: Ports): Reply;
  /**
   * An effect outside that follows once the events are stored, and never for a request that is repeated under its key.
   * The answer neither waits for it nor depends on it; a kill of the process may take it.
   */
  afterwards?(input: Input, context: AfterwardsContext): Promise<unknown>;
}

/** Parts of a command that is answered with a 204, whatever it has changed. */
export const noContent = {
  outcome: () => null,
  responses: { 204: null },
  respond: () => ({ status: 204 }) as const,
} as const;

/** Infers the types of a command from its parts. */
export const defineCommand =
  <State, const Definitions extends readonly EventDefinition[]>(decider: Decider<State, Definitions>) =>
  <
    Principal,
    Params extends TObject,
    Body extends TObject,
    Input extends { readonly id: string },
    Result,
    Declared extends Responses,
    // TypeScript keeps the literals of a reply only where it is a parameter of its own.
    const Reply extends ReplyOf<Declared>,
  >(
    command: Omit<Command<Principal, Params, Body, State, Definitions, Input, Result, Declared, Reply>, 'decider'>,
  ): Command<Principal, Params, Body, State, Definitions, Input, Result, Declared, Reply> => ({ ...command, decider });
