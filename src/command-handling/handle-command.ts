import type { Static, TObject } from 'typebox';
import { createOnceByKey } from './once-by-key.ts';
import { createTransact, pauseFor, type Pause } from './transact.ts';
import type { Command, CommandContext, CommandRequest } from './command.ts';
import type { KeyClaim, EventStore, NewReceipt, Position } from '../event-store/port.ts';
import type { JsonObject } from '../schema/json.ts';
import type { Ports } from '../ports/index.ts';
import { createRepository } from './repository.ts';

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

const KEPT_HOURS = 24;
const hoursAfter = (now: string, hours: number) =>
  new Date(Date.parse(now) + hours * 3_600_000).toISOString();

/** Carries out commands: prepare once, decide on the newest state, append, answer. */
export const createCommandHandler = (
  eventStore: EventStore,
  defaultPorts: Ports,
  { pause = pauseFor }: { readonly pause?: Pause } = {},
): CommandHandler => {
  const repository = createRepository(eventStore);
  const transact = createTransact(eventStore, repository, pause);
  const onceByKey = createOnceByKey(eventStore, pause);

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
      const done = await transact({ decider, id, decide, outcome: (state) => state, stamp });
      if (done === 'key-taken') throw new Error('A key was found taken where none was given');
      return done.result;
    };

  /** Fetches what the decision needs, decides and appends. */
  const perform = async (
    command: Command,
    order: Order,
    ports: Ports,
    receiptOf?: (result: unknown) => NewReceipt,
  ) => {
    const stamp = stampOf(order.actor, order.requestId, ports);
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
    return transact({
      decider: command.decider,
      id: input.id,
      decide: (state) => command.decide(state, input),
      outcome: (state, isChanged) => command.outcome(state, input, isChanged),
      stamp,
      receiptOf,
    });
  };

  const performUnderKey = (
    command: Command,
    order: Order,
    ports: Ports,
    idempotency: NonNullable<Order['idempotency']>,
  ) => {
    // One time for all that is asked of the key: a clock may jump between two looks at it.
    const storedAt = ports.clock().toISOString();
    const request = { ...idempotency, storedAt, expiresAt: hoursAfter(storedAt, KEPT_HOURS) };
    const receiptWith = (claim: KeyClaim | undefined) => (result: unknown) => ({
      ...request,
      claim,
      result: (result ?? {}) as JsonObject,
    });
    return onceByKey<unknown>({
      request,
      isClaimed: command.hasEffectOutside === true,
      perform: (claim) => perform(command, order, ports, receiptWith(claim)),
    });
  };

  return {
    async handle(command, order, ports = defaultPorts) {
      const done = order.idempotency
        ? await performUnderKey(command, order, ports, order.idempotency)
        : await perform(command, order, ports);
      if (done === 'key-taken') throw new Error('A key was found taken where none was given');
      return { ...command.respond(done.result, ports), position: done.position };
    },
    appendAs: (actor, causationId) => appendWith(stampOf(actor, causationId, defaultPorts)),
  };
};
