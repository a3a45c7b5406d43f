import type { TObject } from '../schema/typebox.ts';
import { createOnceByKey } from './once-by-key.ts';
import { createTransact, sleep, type Sleep } from './transact.ts';
import type { Command, CommandContext, AuthorizedRequest, DecideAndAppend } from './command.ts';
import {
  NO_STREAM,
  type EventLog,
  type IdempotencyStore,
  type KeyClaim,
  type NewIdempotencyRecord,
  type Position,
} from '../event-store/port.ts';
import { hoursAfter } from '../lib/hours-after.ts';
import { onceUnlessFailed } from '../lib/once-unless-failed.ts';
import type { JsonObject } from '../schema/json.ts';
import type { Ports } from '../ports/index.ts';
import { requirePreconditions, type Preconditions } from './preconditions.ts';
import type { Quota } from './quota.ts';
import { inSpan } from '../telemetry/tracing.ts';
import { createRepository } from './repository.ts';
import { createEventMetadataFactory, type EventMetadataFactory } from './event-metadata-factory.ts';

/** What HTTP hands on of an authorized, valid request: the caller, the request and its key. */
export interface CommandEnvelope extends AuthorizedRequest<unknown, TObject, TObject> {
  readonly actor: string;
  readonly requestId: string;
  /** Hashes of the Idempotency-Key with its owner, and of the request. */
  readonly idempotency?: { readonly key: string; readonly fingerprint: string } | undefined;
  readonly preconditions?: Preconditions | undefined;
  /** Undefined: as much as it likes. */
  readonly quota?: Quota | undefined;
}

export interface CommandReply {
  readonly status: number;
  readonly body?: unknown;
  /** A read model that has reached this position shows what the command did. */
  readonly position: Position;
  /** Whether it is the reply of an earlier request under the same Idempotency-Key. */
  readonly isReplayed?: boolean;
}

export type HandleCommand = (command: Command, envelope: CommandEnvelope, ports?: Ports) => Promise<CommandReply>;

export interface CommandHandler {
  readonly handle: HandleCommand;
  /** Appends without a request, for process managers. */
  readonly appendAs: (actor: string, causationId: string) => DecideAndAppend;
}

interface CommandHandlerOptions {
  readonly pause?: Sleep;
  /** Given each effect that goes on after its command was answered, to wait for it before a stop. */
  readonly onBackground?: (effect: Promise<unknown>) => void;
}

const ignoreFailure = (effect: Promise<unknown>): void => {
  effect.catch(() => undefined);
};

const KEPT_HOURS = 24;

/** Runs commands: prepares once, decides on the newest state, appends, answers. */
export const createCommandHandler = (
  eventStore: EventLog & IdempotencyStore,
  defaultPorts: Ports,
  { pause = sleep, onBackground = ignoreFailure }: CommandHandlerOptions = {},
): CommandHandler => {
  const repository = createRepository(eventStore);
  const transact = createTransact(eventStore, repository, pause);
  const onceByKey = createOnceByKey(eventStore, pause);

  const appendWith =
    (stamp: EventMetadataFactory, quota?: Quota): DecideAndAppend =>
    (decider, id) =>
    async (decide) => {
      const done = await transact({ decider, id, decide, outcome: (state) => state, stamp, onStored: quota?.count });
      if (done === 'key-taken') throw new Error('A key was found taken where none was given');
      return done.result;
    };

  const perform = async (
    command: Command,
    envelope: CommandEnvelope,
    ports: Ports,
    idempotencyRecordOf?: (result: unknown) => NewIdempotencyRecord,
  ) => {
    const { quota, preconditions } = envelope;
    quota?.check(envelope.idempotency !== undefined);
    const stamp = createEventMetadataFactory(envelope.actor, envelope.requestId, ports);
    const context: CommandContext = {
      ports,
      now: ports.clock().toISOString(),
      load: repository.load,
      appenderFor(id) {
        const append = appendWith(stamp, quota);
        if (!preconditions) return append;
        const check = onceUnlessFailed(async () => {
          const { revision, position } = await repository.load(command.decider, id);
          await requirePreconditions(preconditions, revision === NO_STREAM ? undefined : position);
        });
        return (decider, of) => async (decide) => {
          await check();
          return append(decider, of)(decide);
        };
      },
    };
    const input = await command.prepare(envelope, context);
    const done = await transact({
      decider: command.decider,
      id: input.id,
      // The command has had an effect outside by now, so it can no longer be refused.
      preconditions: command.hasEffectOutside ? undefined : preconditions,
      decide: (state) => command.decide(state, input),
      outcome: (state, isChanged) => command.outcome(state, input, isChanged),
      stamp,
      idempotencyRecordOf,
      onStored: quota?.count,
    });
    if (done !== 'key-taken' && command.afterwards)
      onBackground(command.afterwards(input, { ...context, append: appendWith(stamp, quota) }));
    return done;
  };

  const performUnderKey = (
    command: Command,
    envelope: CommandEnvelope,
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
      claimsFirst: command.hasEffectOutside === true,
      perform: (claim) => perform(command, envelope, ports, idempotencyRecordWith(claim)),
    });
  };

  return {
    handle: (command, envelope, ports = defaultPorts) =>
      inSpan(`command ${command.name}`, {}, async () => {
        const done = envelope.idempotency
          ? await performUnderKey(command, envelope, ports, envelope.idempotency)
          : await perform(command, envelope, ports);
        if (done === 'key-taken') throw new Error('A key was found taken where none was given');
        const { result, ...more } = done;
        return { ...command.respond(result, ports), ...more };
      }),
    appendAs: (actor, causationId) => appendWith(createEventMetadataFactory(actor, causationId, defaultPorts)),
  };
};
