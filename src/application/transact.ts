import { setTimeout as delay } from 'node:timers/promises';
import { streamOf, type Decider } from '../streams/decider.ts';
import { DomainError, unavailable } from '../errors/domain-error.ts';
import {
  NO_STREAM,
  type EventData,
  type EventLog,
  type NewIdempotencyRecord,
  type Position,
} from '../event-store/port.ts';
import type { EventDefinition, Metadata, NewEventOf } from '../streams/events.ts';
import { createKeyedMutex } from '../lib/keyed-mutex.ts';
import type { JsonObject } from '../schema/json.ts';
import { backoffMs } from '../lib/backoff.ts';
import { requirePreconditions, type Preconditions } from './preconditions.ts';
import type { StoredCounts } from './quota.ts';
import type { StreamState, Repository } from './repository.ts';
import type { EventMetadataFactory } from './event-metadata-factory.ts';

export type Sleep = (milliseconds: number) => Promise<unknown>;
export const sleep: Sleep = (milliseconds) => delay(milliseconds);

/**
 * How often a command decides anew after a conflict. Commands on one stream take turns in this process, so a race is
 * lost only to other instances, and to commands with preconditions.
 */
const MAX_ATTEMPTS = 10;
const [MIN_PAUSE_MS, MAX_PAUSE_MS] = [4, 1_000];
const RETRY_AFTER_SECONDS = 1;

export interface TransactionResult<Result> {
  readonly result: Result;
  readonly position: Position;
  /** Whether an earlier request under the same Idempotency-Key has done it. */
  readonly isReplayed?: boolean;
}
interface AttemptResult<Result> extends TransactionResult<Result | DomainError> {
  /** A successful append proves that the state was the newest. */
  readonly isProven: boolean;
}

interface Transaction<State, D extends readonly EventDefinition[], Result> {
  readonly decider: Decider<State, D>;
  readonly id: string;
  readonly preconditions?: Preconditions | undefined;
  readonly decide: (state: State) => readonly NewEventOf<D[number]>[];
  /** A DomainError is thrown once the events are stored. */
  readonly outcome: (state: State, isChanged: boolean) => Result | DomainError;
  readonly stamp: EventMetadataFactory;
  readonly idempotencyRecordOf?: ((result: Result) => NewIdempotencyRecord) | undefined;
  /** Told of what was stored, also where a refusal follows. */
  readonly onStored?: ((stored: StoredCounts) => void) | undefined;
}

/** Decides on streams and appends what was decided. */
export const createTransact = (eventLog: Pick<EventLog, 'append'>, repository: Repository, pause: Sleep) => {
  const oneByStream = createKeyedMutex();

  /** Undefined when another instance changed the stream meanwhile. */
  const attempt = async <State, D extends readonly EventDefinition[], Result>(
    transaction: Transaction<State, D, Result>,
    { state, revision, position, recordedAt }: StreamState<State>,
  ): Promise<AttemptResult<Result> | 'key-taken' | undefined> => {
    const { decider, id, preconditions, decide, outcome, stamp, idempotencyRecordOf, onStored } = transaction;
    const isKnown = revision !== NO_STREAM;
    if (preconditions && isKnown) await requirePreconditions(preconditions, position);
    const { metadata, eventId } = stamp(recordedAt);
    const decided = decide(state);
    // Where nothing is there, that may be a 404, which comes first (RFC 9110, 13.2.1).
    if (preconditions && !isKnown) await requirePreconditions(preconditions, undefined);
    const events = decided.map((event) => Object.assign({}, event, { metadata }));
    const after = events.reduce((before, event) => decider.evolve(before, event), state);
    const result = outcome(after, events.length > 0);
    const idempotencyRecord = result instanceof DomainError ? undefined : idempotencyRecordOf?.(result);
    if (events.length === 0 && !idempotencyRecord) return { result, position, isProven: false };
    const appended = await eventLog.append({
      stream: streamOf(decider, id),
      expectedRevision: revision,
      events: decided.map((event) => toEventData(decider, event, metadata, eventId())),
      idempotencyRecord,
      lastSeen: position,
    });
    if (appended.kind === 'key-taken') return 'key-taken';
    if (appended.kind === 'wrong-revision') return undefined;
    onStored?.({ events: events.length, idempotencyRecords: idempotencyRecord ? 1 : 0 });
    const reached = appended.position;
    if (events.length > 0)
      repository.appended(decider, id, {
        state: after,
        revision: revision + events.length,
        position: reached,
        recordedAt: metadata.recordedAt,
      });
    return { result, position: reached, isProven: true };
  };

  /** Undefined unless an append has proven that the cached state was the newest. */
  const attemptOnTrust = async <State, D extends readonly EventDefinition[], Result>(
    transaction: Transaction<State, D, Result>,
  ) => {
    const cached = repository.cached(transaction.decider, transaction.id);
    if (!cached) return undefined;
    try {
      const done = await attempt(transaction, cached);
      return done === 'key-taken' || done?.isProven === true ? done : undefined;
    } catch (error) {
      if (error instanceof DomainError) return undefined;
      throw error;
    }
  };

  /**
   * Decides and appends, and tries again while other instances change the stream in between. The first try uses the
   * cached state; unless an append proves it the newest, the next one loads the state.
   *
   * @returns 'key-taken' when another request has used the key
   * @throws DomainError of the decision or its outcome, or unavailable after ten lost races
   */
  return <State, D extends readonly EventDefinition[], Result>(
    transaction: Transaction<State, D, Result>,
  ): Promise<TransactionResult<Result> | 'key-taken'> => {
    const { decider, id, preconditions } = transaction;
    const run = async (): Promise<TransactionResult<Result> | 'key-taken'> => {
      let done = preconditions ? undefined : await attemptOnTrust(transaction);
      let minPauseMs = MIN_PAUSE_MS;
      for (let lost = 0; !done; lost++) {
        if (lost === MAX_ATTEMPTS)
          throw unavailable('Too many requests change the same resource at once', RETRY_AFTER_SECONDS);
        if (lost > 0) await pause(backoffMs(lost - 1, minPauseMs, MAX_PAUSE_MS));
        const started = performance.now();
        done = await attempt(transaction, await repository.load(decider, id));
        // A slow store makes races longer, so the pause grows with it.
        minPauseMs = Math.max(minPauseMs, 2 * (performance.now() - started));
      }
      if (done === 'key-taken') return done;
      const { result, position } = done;
      if (result instanceof DomainError) throw result;
      return { result, position };
    };
    // Not in turn: it may wait for read models, and would hold up other commands on the stream.
    return preconditions ? run() : oneByStream(streamOf(decider, id), run);
  };
};

const toEventData = (
  decider: { readonly events: readonly EventDefinition[] },
  event: { readonly type: string; readonly data: unknown },
  metadata: Metadata,
  id: string,
): EventData => {
  const definition = decider.events.find(({ type }) => type === event.type);
  if (!definition) throw new Error(`${event.type} is not an event of its stream`);
  return { id, type: event.type, version: definition.version, data: event.data as JsonObject, metadata };
};
