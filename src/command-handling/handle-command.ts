import type { Static, TObject } from 'typebox';
import { createOnceByKey } from './once-by-key.ts';
import { createTransact, pauseFor, type Pause } from './transact.ts';
import type { Command, CommandContext, CommandRequest } from './command.ts';
import type {
  EventLog,
  IdempotencyStore,
  KeyClaim,
  NewIdempotencyRecord,
  Position,
} from '../event-store/port.ts';
import type { JsonObject } from '../schema/json.ts';
import type { Ports } from '../ports/index.ts';
import type { Quota } from './quota.ts';
import { inSpan } from '../telemetry/tracing.ts';
import { createRepository } from './repository.ts';
import { stampOf, type Stamp } from './stamp.ts';

/** An authorized, valid request for a command. */
export interface CommandEnvelope {
  readonly principal: unknown;
  readonly actor: string;
  readonly requestId: string;
  readonly params: Static<TObject>;
  readonly body: Static<TObject>;
  readonly mfaToken?: string | undefined;
  /** Hashes of the Idempotency-Key with its owner, and of the request. */
  readonly idempotency?: { readonly key: string; readonly fingerprint: string } | undefined;
  /** Undefined: as much as it likes. */
  readonly quota?: Quota | undefined;
}

export interface CommandReply {
  readonly status: number;
  readonly body?: unknown;
  /** A read model that has reached this position shows what the command did. */
  readonly position: Position;
}

export type HandleCommand = (
  command: Command,
  order: CommandEnvelope,
  ports?: Ports,
) => Promise<CommandReply>;

export interface CommandHandler {
  readonly handle: HandleCommand;
  /** Appends without a request, for process managers. */
  readonly appendAs: (actor: string, causationId: string) => CommandContext['append'];
}

export interface HandlerOptions {
  readonly pause?: Pause;
  /** Given each effect that goes on after its command was answered, to wait for it before a stop. */
  readonly onBackground?: (effect: Promise<unknown>) => void;
}

const ignoreFailure = (effect: Promise<unknown>): void => {
  effect.catch(() => undefined);
};

const KEPT_HOURS = 24;
const hoursAfter = (now: string, hours: number) =>
  new Date(Date.parse(now) + hours * 3_600_000).toISOString();

/** Runs commands: prepares once, decides on the newest state, appends, answers. */
export const createCommandHandler = (
  eventStore: EventLog & IdempotencyStore,
  defaultPorts: Ports,
  { pause = pauseFor, onBackground = ignoreFailure }: HandlerOptions = {},
): CommandHandler => {
  const repository = createRepository(eventStore);
  const transact = createTransact(eventStore, repository, pause);
  const onceByKey = createOnceByKey(eventStore, pause);

  const appendWith =
    (stamp: Stamp, quota?: Quota): CommandContext['append'] =>
    (decider, id) =>
    async (decide) => {
      const done = await transact({
        decider,
        id,
        decide,
        outcome: (state) => state,
        stamp,
        onStored: quota?.count,
      });
      if (done === 'key-taken') throw new Error('A key was found taken where none was given');
      return done.result;
    };

  const perform = async (
    command: Command,
    order: CommandEnvelope,
    ports: Ports,
    idempotencyRecordOf?: (result: unknown) => NewIdempotencyRecord,
  ) => {
    const { quota } = order;
    quota?.check(order.idempotency !== undefined);
    const stamp = stampOf(order.actor, order.requestId, ports);
    const context: CommandContext = {
      ports,
      now: ports.clock().toISOString(),
      load: repository.load,
      append: appendWith(stamp, quota),
    };
    const request: CommandRequest<unknown, TObject, TObject> = {
      principal: order.principal,
      params: order.params,
      body: order.body,
      mfaToken: order.mfaToken,
    };
    const input = await command.prepare(request, context);
    const done = await transact({
      decider: command.decider,
      id: input.id,
      decide: (state) => command.decide(state, input),
      outcome: (state, isChanged) => command.outcome(state, input, isChanged),
      stamp,
      idempotencyRecordOf,
      onStored: quota?.count,
    });
    if (done !== 'key-taken' && command.afterwards) onBackground(command.afterwards(input, ports));
    return done;
  };

  const performUnderKey = (
    command: Command,
    order: CommandEnvelope,
    ports: Ports,
    idempotency: NonNullable<CommandEnvelope['idempotency']>,
  ) => {
    // The clock is read once for all look-ups of the key, since it may jump.
    const storedAt = ports.clock().toISOString();
    const request = { ...idempotency, storedAt, expiresAt: hoursAfter(storedAt, KEPT_HOURS) };
    const idempotencyRecordWith = (claim: KeyClaim | undefined) => (result: unknown) => ({
      ...request,
      claim,
      result: (result ?? {}) as JsonObject,
    });
    return onceByKey<unknown>({
      request,
      isClaimed: command.hasEffectOutside === true,
      perform: (claim) => perform(command, order, ports, idempotencyRecordWith(claim)),
    });
  };

  return {
    handle: (command, order, ports = defaultPorts) =>
      inSpan(`command ${command.name}`, {}, async () => {
        const done = order.idempotency
          ? await performUnderKey(command, order, ports, order.idempotency)
          : await perform(command, order, ports);
        if (done === 'key-taken') throw new Error('A key was found taken where none was given');
        return { ...command.respond(done.result, ports), position: done.position };
      }),
    appendAs: (actor, causationId) => appendWith(stampOf(actor, causationId, defaultPorts)),
  };
};
