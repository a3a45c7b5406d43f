import { setTimeout as delay } from 'node:timers/promises';
import { streamOf, type Decider } from '../domain/decider.ts';
import { Refusal, unavailable } from '../errors/http-error.ts';
import type { EventData, EventStore, NewReceipt, Position } from '../event-store/port.ts';
import type { EventDefinition, Metadata, NewEventOf } from '../domain/events.ts';
import { createExclusive } from '../lib/keyed-mutex.ts';
import type { JsonObject } from '../schema/json.ts';
import { backoff } from '../lib/backoff.ts';
import type { Loaded, Repository } from './repository.ts';

/** Resolves after so many milliseconds. */
export type Pause = (milliseconds: number) => Promise<unknown>;
export const pauseFor: Pause = (milliseconds) => delay(milliseconds);

/** Only other instances win races: within this one, the commands of a stream wait for each other. */
const MAX_ATTEMPTS = 10;
const [MIN_PAUSE_MS, MAX_PAUSE_MS] = [4, 1_000];
const RETRY_AFTER_SECONDS = 1;

export interface Decided<Result> {
  readonly result: Result;
  readonly position: Position;
}
interface Attempted<Result> extends Decided<Result | Refusal> {
  /** Whether an append has shown that the state was the newest. */
  readonly isProven: boolean;
}

/** A decision on one stream. */
export interface Transaction<State, D extends readonly EventDefinition[], Result> {
  readonly decider: Decider<State, D>;
  readonly id: string;
  readonly decide: (state: State) => readonly NewEventOf<D[number]>[];
  /** May be a Refusal, that is thrown once the events are stored. */
  readonly outcome: (state: State, isChanged: boolean) => Result | Refusal;
  readonly stamp: () => { readonly metadata: Metadata; readonly eventId: () => string };
  readonly receiptOf?: ((result: Result) => NewReceipt) | undefined;
}

/** Decides on streams and appends what was decided. */
export const createTransact = (eventStore: EventStore, repository: Repository, pause: Pause) => {
  const oneByStream = createExclusive();

  /** Undefined when the race was lost: the stream was changed meanwhile. */
  const attempt = async <State, D extends readonly EventDefinition[], Result>(
    { decider, id, decide, outcome, stamp, receiptOf }: Transaction<State, D, Result>,
    { state, revision, position }: Loaded<State>,
  ): Promise<Attempted<Result> | 'key-taken' | undefined> => {
    const { metadata, eventId } = stamp();
    const decided = decide(state);
    const events = decided.map((event) => Object.assign({}, event, { metadata }));
    const after = events.reduce((before, event) => decider.evolve(before, event), state);
    const result = outcome(after, events.length > 0);
    const receipt = result instanceof Refusal ? undefined : receiptOf?.(result);
    if (events.length === 0 && !receipt) return { result, position, isProven: false };
    const appended = await eventStore.append({
      stream: streamOf(decider, id),
      expectedRevision: revision,
      events: decided.map((event) => toData(decider, event, metadata, eventId())),
      receipt,
      decidedAt: position,
    });
    if (appended.kind === 'key-taken') return 'key-taken';
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

  /** Undefined unless an append has proven that what is remembered of the stream is the newest. */
  const attemptOnTrust = async <State, D extends readonly EventDefinition[], Result>(
    transaction: Transaction<State, D, Result>,
  ) => {
    const remembered = repository.remembered(transaction.decider, transaction.id);
    if (!remembered) return undefined;
    try {
      const done = await attempt(transaction, remembered);
      return done === 'key-taken' || done?.isProven === true ? done : undefined;
    } catch (error) {
      if (error instanceof Refusal) return undefined;
      throw error;
    }
  };

  /**
   * Decides and appends until the stream did not change in between. A remembered state is taken on trust first: an append
   * proves that it was the newest, and whatever else comes of it is decided again on what the store holds.
   *
   * @returns 'key-taken' when another request has used the key of the receipt
   * @throws Refusal of the decision or its outcome, or a 503 after ten lost races
   */
  return <State, D extends readonly EventDefinition[], Result>(
    transaction: Transaction<State, D, Result>,
  ): Promise<Decided<Result> | 'key-taken'> => {
    const { decider, id } = transaction;
    return oneByStream(streamOf(decider, id), async () => {
      let done = await attemptOnTrust(transaction);
      let minPauseMs = MIN_PAUSE_MS;
      for (let lost = 0; !done; lost++) {
        if (lost === MAX_ATTEMPTS)
          throw unavailable('Too many requests change the same resource at once', RETRY_AFTER_SECONDS);
        if (lost > 0) await pause(backoff(lost - 1, minPauseMs, MAX_PAUSE_MS));
        const started = performance.now();
        done = await attempt(transaction, await repository.load(decider, id));
        // The slower the store, the longer a race.
        minPauseMs = Math.max(minPauseMs, 2 * (performance.now() - started));
      }
      if (done === 'key-taken') return done;
      const { result, position } = done;
      if (result instanceof Refusal) throw result;
      return { result, position };
    });
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
