import type { Static, TObject } from 'typebox';
import type { Command, CommandContext, CommandRequest } from './command.ts';
import { streamOf, type Decider } from './decider.ts';
import { conflict, Refusal, unprocessable } from './errors.ts';
import type { EventDefinition, Metadata, NewEventOf } from './events.ts';
import type { EventData, EventStore, NewReceipt, Position } from './event-store/port.ts';
import { createExclusive } from './exclusive.ts';
import type { JsonObject } from './json.ts';
import type { Ports } from './ports/index.ts';
import { createRepository, type Loaded } from './repository.ts';

/** A command as the edge hands it over. */
export interface Order {
  readonly principal: unknown;
  readonly actor: string;
  readonly requestId: string;
  readonly params: Static<TObject>;
  readonly body: Static<TObject>;
  readonly mfaToken?: string | undefined;
  /** Hashes of the Idempotency-Key with its owner, and of the request. */
  readonly idempotency?: { readonly key: string; readonly fingerprint: string } | undefined;
}

export interface CommandReply {
  readonly status: number;
  readonly body?: unknown;
  /** A read model that has reached it shows what this command did. */
  readonly position: Position;
}

export type HandleCommand = (command: Command, order: Order, ports?: Ports) => Promise<CommandReply>;

export interface CommandHandler {
  readonly handle: HandleCommand;
  /** Appends without a request: what the service itself finds out. */
  readonly appendAs: (actor: string, causationId: string) => CommandContext['append'];
}

/** Only other instances cause conflicts: within this one, the commands of a stream wait for each other. */
const MOST_ATTEMPTS = 10;
const RECEIPT_HOURS = 24;

interface Decided<Result> {
  readonly result: Result;
  readonly position: Position;
}
interface Attempted<Result> extends Decided<Result | Refusal> {
  /** Whether an append has shown that the state was the newest. */
  readonly isProven: boolean;
}

/** Carries out commands: prepare once, decide on the newest state, append, answer. */
export const createCommandHandler = (eventStore: EventStore, defaultPorts: Ports): CommandHandler => {
  const repository = createRepository(eventStore);
  const oneByStream = createExclusive();
  const oneByKey = createExclusive();

  /**
   * Decides and appends until the stream did not change in between. A remembered state is taken on trust first: an append
   * proves that it was the newest, and whatever else comes of it is decided again on what the store holds. `outcome` may
   * be a Refusal that is thrown after.
   */
  const transact = <State, D extends readonly EventDefinition[], Result>(
    decider: Decider<State, D>,
    id: string,
    decide: (state: State) => readonly NewEventOf<D[number]>[],
    outcome: (state: State, isChanged: boolean) => Result | Refusal,
    stamp: () => { metadata: Metadata; eventId: () => string },
    receiptOf?: (result: Result, now: string) => NewReceipt,
  ): Promise<Decided<Result> | 'receipt-exists'> => {
    const stream = streamOf(decider, id);

    /** Undefined when the stream was changed meanwhile. */
    const attempt = async ({
      state,
      revision,
      position,
    }: Loaded<State>): Promise<Attempted<Result> | 'receipt-exists' | undefined> => {
      const { metadata, eventId } = stamp();
      const decided = decide(state);
      const events = decided.map((event) => Object.assign({}, event, { metadata }));
      const after = events.reduce((before, event) => decider.evolve(before, event), state);
      const result = outcome(after, events.length > 0);
      const receipt = result instanceof Refusal ? undefined : receiptOf?.(result, metadata.recordedAt);
      if (events.length === 0 && !receipt) return { result, position, isProven: false };
      const data = decided.map((event) => toData(decider, event, metadata, eventId()));
      const appended = await eventStore.append({
        stream,
        expectedRevision: revision,
        events: data,
        receipt,
        decidedAt: position,
      });
      if (appended.kind === 'receipt-exists') return 'receipt-exists';
      if (appended.kind === 'wrong-revision') return undefined;
      const reached = appended.position;
      if (events.length > 0)
        repository.appended(decider, id, {
          state: after,
          revision: revision + events.length,
          position: reached,
        });
      return { result, position: reached, isProven: true };
    };

    const attemptOnTrust = async (remembered: Loaded<State>) => {
      try {
        const done = await attempt(remembered);
        return done === 'receipt-exists' || done?.isProven === true ? done : undefined;
      } catch (error) {
        if (error instanceof Refusal) return undefined;
        throw error;
      }
    };

    return oneByStream(stream, async () => {
      const remembered = repository.remembered(decider, id);
      let done = remembered && (await attemptOnTrust(remembered));
      for (let attempts = 0; !done && attempts < MOST_ATTEMPTS; attempts++)
        done = await attempt(await repository.load(decider, id));
      if (!done) throw conflict('Others keep changing the same resource; try again');
      if (done === 'receipt-exists') return done;
      const { result, position } = done;
      if (result instanceof Refusal) throw result;
      return { result, position };
    });
  };

  const stampOf = (actor: string, requestId: string, ports: Ports) => () => ({
    metadata: {
      $correlationId: requestId,
      $causationId: requestId,
      actor,
      requestId,
      recordedAt: ports.clock().toISOString(),
    },
    eventId: () => ports.ids.uuid(),
  });

  const appendWith =
    (stamp: ReturnType<typeof stampOf>): CommandContext['append'] =>
    (decider, id) =>
    async (decide) => {
      const done = await transact(decider, id, decide, (state) => state, stamp);
      if (done === 'receipt-exists') throw new Error('A receipt was found where none was given');
      return done.result;
    };

  const carryOut = async (command: Command, order: Order, ports: Ports): Promise<CommandReply> => {
    const { actor, requestId, idempotency } = order;
    const replay = async () => {
      if (!idempotency) return undefined;
      const receipt = await eventStore.findReceipt(idempotency.key, ports.clock().toISOString());
      if (!receipt) return undefined;
      if (receipt.fingerprint !== idempotency.fingerprint)
        throw unprocessable('The Idempotency-Key was used with another request');
      return { ...command.respond(receipt.result, ports), position: receipt.position };
    };
    const before = await replay();
    if (before) return before;

    const stamp = stampOf(actor, requestId, ports);
    const context: CommandContext = {
      ports,
      now: ports.clock().toISOString(),
      load: repository.load,
      append: appendWith(stamp),
    };
    const request: CommandRequest<unknown, TObject, TObject> = {
      principal: order.principal,
      params: order.params,
      body: order.body,
      mfaToken: order.mfaToken,
    };
    const input = await command.prepare(request, context);
    const done = await transact(
      command.decider,
      input.id,
      (state) => command.decide(state, input),
      (state, isChanged) => command.outcome(state, input, isChanged),
      stamp,
      idempotency && ((result, now) => toReceipt(idempotency, result, now)),
    );
    if (done !== 'receipt-exists') return { ...command.respond(done.result, ports), position: done.position };
    const after = await replay();
    if (!after) throw new Error('A receipt was there and is gone');
    return after;
  };

  return {
    handle: (command, order, ports = defaultPorts) =>
      order.idempotency
        ? oneByKey(order.idempotency.key, () => carryOut(command, order, ports))
        : carryOut(command, order, ports),
    appendAs: (actor, causationId) => appendWith(stampOf(actor, causationId, defaultPorts)),
  };
};

const toData = (
  decider: { readonly events: readonly EventDefinition[] },
  event: { readonly type: string; readonly data: unknown },
  metadata: Metadata,
  id: string,
): EventData => {
  const definition = decider.events.find(({ type }) => type === event.type);
  if (!definition) throw new Error(`${event.type} is not an event of its stream`);
  return { id, type: event.type, version: definition.version, data: event.data as JsonObject, metadata };
};

const toReceipt = (
  idempotency: { key: string; fingerprint: string },
  result: unknown,
  now: string,
): NewReceipt => ({
  ...idempotency,
  result: (result ?? {}) as JsonObject,
  storedAt: now,
  expiresAt: new Date(Date.parse(now) + RECEIPT_HOURS * 3_600_000).toISOString(),
});
