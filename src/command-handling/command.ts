import type { Static, TObject, TSchema } from 'typebox';
import type { Access } from './access.ts';
import type { Decider } from '../domain/decider.ts';
import type { Refusal } from '../errors/http-error.ts';
import type { EventDefinition, NewEventOf } from '../domain/events.ts';
import type { Loaded } from './repository.ts';
import type { Ports } from '../ports/index.ts';

/** A request that has passed the edge: authorized, and valid by its schemas. */
export interface CommandRequest<Principal, Params extends TObject, Body extends TObject> {
  readonly principal: Principal;
  readonly params: Static<Params>;
  readonly body: Static<Body>;
  /** The header X-Service-MFA-Token. */
  readonly mfaToken: string | undefined;
}

/** What `prepare` may use. */
export interface CommandContext {
  readonly ports: Ports;
  /** Now, in RFC 3339. */
  readonly now: string;
  readonly load: <State, D extends readonly EventDefinition[]>(
    decider: Decider<State, D>,
    id: string,
  ) => Promise<Loaded<State>>;
  /** Decides and appends to a stream ahead of the command's own; resolves to the state after it. */
  readonly append: <State, D extends readonly EventDefinition[]>(
    decider: Decider<State, D>,
    id: string,
  ) => (decide: (state: State) => readonly NewEventOf<D[number]>[]) => Promise<State>;
}

/** A body by status; null where there is none. */
export type Responses = Readonly<Record<number, TSchema | null>>;

/**
 * One command, from the request to the answer. Read it from top to bottom: who may, what comes in, what is fetched,
 * what is decided, what goes out.
 */
export interface Command<
  Principal = unknown,
  Params extends TObject = TObject,
  Body extends TObject = TObject,
  State = unknown,
  Definitions extends readonly EventDefinition[] = readonly EventDefinition[],
  Input extends { readonly id: string } = { readonly id: string },
  Result = unknown,
> {
  /** The operation's name in OpenAPI and metrics. */
  readonly name: string;
  readonly summary: string;
  readonly method: 'POST' | 'PUT' | 'PATCH';
  /** With `:name` for each member of `params`. */
  readonly path: string;
  readonly access: Access<Principal>;
  readonly params: Params;
  readonly body: Body;
  readonly takesMfaToken?: boolean;
  /** Whether `prepare` does what cannot be taken back, such as sending a code. An Idempotency-Key is claimed before. */
  readonly hasEffectOutside?: boolean;
  readonly decider: Decider<State, Definitions>;
  /** Fetches and checks what the decision needs, once, before any retry. `id` says which stream is decided on. */
  prepare(request: CommandRequest<Principal, Params, Body>, context: CommandContext): Promise<Input> | Input;
  /** Pure. No events: the state already is as asked. Throws a Refusal when the state forbids it; then nothing changes. */
  decide(state: State, input: Input): readonly NewEventOf<Definitions[number]>[];
  /**
   * Pure. What the answer is made of, read from the state after the events, if there were any. A Refusal is answered after the events were
   * stored: a wrong code counts. The result is kept with an Idempotency-Key, so it holds no secret.
   */
  outcome(state: State, input: Input, isChanged: boolean): Result | Refusal;
  readonly responses: Responses;
  /** The statuses beyond those that every operation can answer. */
  readonly refusals: readonly number[];
  respond(result: Result, ports: Ports): { readonly status: number; readonly body?: unknown };
}

/** Defines a command on the streams of a decider; the types follow from the parts. */
export const defineCommand =
  <State, const Definitions extends readonly EventDefinition[]>(decider: Decider<State, Definitions>) =>
  <Principal, Params extends TObject, Body extends TObject, Input extends { readonly id: string }, Result>(
    command: Omit<Command<Principal, Params, Body, State, Definitions, Input, Result>, 'decider'>,
  ): Command<Principal, Params, Body, State, Definitions, Input, Result> => ({ ...command, decider });
