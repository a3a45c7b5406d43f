import { StoreUnavailableError } from '../errors/store-unavailable.ts';
import type { JsonObject } from '../schema/json.ts';

/**
 * A place in the event log. Opaque text of a fixed width, whose alphabetical order is the event log's, so that every
 * store can compare positions.
 */
export type Position = string;

/** Before the first event. */
export const START_POSITION: Position = '0';

/** An event's number in its stream, from 0. An append expects that of the last event, or -1 for a new stream. */
export type Revision = number;
export const NO_STREAM: Revision = -1;

export interface EventData {
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly data: JsonObject;
  readonly metadata: JsonObject;
}

export interface RecordedEvent extends EventData {
  readonly stream: string;
  readonly revision: Revision;
  readonly position: Position;
  /** Why this service cannot have written the event, in words. Data and metadata are then empty, the version 0. */
  readonly foreign?: string;
}

/** A position, and the id of what stands there: it tells whether the same event log still stands behind it. */
export interface EventPointer {
  readonly position: Position;
  readonly id: string;
}

/** An event of this service or of another, without its content. */
export interface LogEventHeader {
  readonly id: string;
  /** Null for a stream of another service. */
  readonly stream: string | null;
  readonly revision: Revision;
}

/**
 * The event log cannot be reached or written now. A failed append may have been stored all the same. From a thread it
 * comes as `StoreUnavailableError`.
 */
export class LogUnavailableError extends StoreUnavailableError {}

/** Damage of the event log's file. */
export interface LogDamage {
  readonly file: string;
  /** The positions that cannot be read; left out where the damage lies elsewhere. `last` may be left out alone. */
  readonly first?: Position | undefined;
  readonly last?: Position | undefined;
  readonly what: string;
  /** The streams that cannot be read, as far as known. */
  readonly streams?: readonly string[];
}

const placeOf = ({ first, last }: LogDamage): string => {
  if (first === undefined) return '';
  if (last === undefined) return ` from position ${first} on`;
  return first === last ? ` at position ${first}` : ` at positions ${first} to ${last}`;
};

/** Where the event log is damaged, in words for any client. */
export const damageInWords = (damage: LogDamage): string => `the file of the log is damaged${placeOf(damage)}`;

/** The event log's file is damaged where something was to be read or written: it is not answered from. */
export class LogDamagedError extends LogUnavailableError {
  readonly details: LogDamage;
  /** Is told on from a thread, as the details are, and the class is not. */
  readonly code = 'LOG_DAMAGED';

  constructor(damage: LogDamage, options?: ErrorOptions) {
    super(`${damageInWords(damage)}: ${damage.what}`, options);
    this.details = damage;
  }
}

const isDamage = (details: unknown): details is LogDamage =>
  typeof details === 'object' && details !== null && 'file' in details && 'what' in details;

/** The damage of the event log's file because of which something failed, also in another thread. */
export const logDamageOf = (error: unknown): LogDamage | undefined => {
  if (!(error instanceof Error)) return undefined;
  const isOwn = 'code' in error && error.code === 'LOG_DAMAGED' && 'details' in error;
  return isOwn && isDamage(error.details) ? error.details : logDamageOf(error.cause);
};

export const isCausedByDamage = (error: unknown): boolean => logDamageOf(error) !== undefined;

/** The event log no longer holds the record that a read was to go on after: begin again from a known position. */
export class CannotResumeError extends Error {
  constructor(position: Position) {
    super(`The log cannot be followed on from ${position}: what stood there is gone, or something else stands there`);
  }
}

/**
 * What is stored of a request with an `Idempotency-Key`, to answer it again. It holds no secret: tokens are derived
 * anew for each answer.
 */
export interface IdempotencyRecord {
  /** Hash of the `Idempotency-Key` and its owner. */
  readonly key: string;
  /** Hash of the request. */
  readonly fingerprint: string;
  readonly result: JsonObject;
  readonly position: Position;
  /** RFC 3339; from then on the record does not count. */
  readonly expiresAt: string;
}

export interface KeyedRequest extends Pick<IdempotencyRecord, 'key' | 'fingerprint' | 'expiresAt'> {
  /** RFC 3339, by the clock of the request; a record that has expired by then is replaced. */
  readonly storedAt: string;
}

/** Holds a key for one request until that has ended. */
export interface KeyClaim {
  readonly key: string;
  readonly id: string;
}

export interface NewIdempotencyRecord extends KeyedRequest {
  readonly result: JsonObject;
  readonly claim?: KeyClaim | undefined;
}

/** Another request, under way or interrupted, holds the key. */
export interface KeyHeld {
  readonly kind: 'held';
  readonly by: string;
  /** What the holder has left to do: the whole request, or only the append it has written as an intent. */
  readonly left: 'request' | 'append';
}
export type KeyState =
  | { readonly kind: 'free' }
  | { readonly kind: 'found'; readonly idempotencyRecord: IdempotencyRecord }
  /** Used, or about to be, by a request with another fingerprint. */
  | { readonly kind: 'other-request' }
  | KeyHeld;

/** A refused append has changed nothing. */
export type AppendResult =
  | { readonly kind: 'appended'; readonly position: Position }
  | { readonly kind: 'wrong-revision' }
  /** The key is not free, or another request has taken over its claim. */
  | { readonly kind: 'key-taken' };

export interface AppendRequest {
  readonly stream: string;
  readonly expectedRevision: Revision;
  /** May be empty where there is a record to store. */
  readonly events: readonly EventData[];
  /** Stored together with the events: both or neither. */
  readonly idempotencyRecord?: NewIdempotencyRecord | undefined;
  /** Of the last event that the decision depends on; becomes the position of a record without events. */
  readonly lastSeen?: Position | undefined;
}

export interface EventBatch {
  /** In the event log's order. */
  readonly events: readonly RecordedEvent[];
  /** All events up to here of the types asked for have been given. */
  readonly position: Position;
  /** Whether the event log ended here when the batch was read; more batches may follow as it grows. */
  readonly isLast: boolean;
  /** The last event of this service up to the position, of any type, as far as known; left out while none is. */
  readonly last?: EventPointer;
}

/** Events of some groups as text, which is cheap to send to another thread. */
export interface GroupBatch {
  /** A JSON array of events for each group: many small texts are cheaper to send than a large one. */
  readonly texts: readonly string[];
  /** The group that ends with the batch, as the store names it; undefined while the last group goes on. */
  readonly ended: string | undefined;
  /** How many events all groups have, as far as known; a batch without events only reports this. */
  readonly of?: number;
}

export interface GroupReadOptions {
  /** The member of an event's data whose value is its group. */
  readonly by: string;
  readonly types: readonly string[];
  readonly upTo: Position;
  /** Events in a batch; up to twice as many where that completes its last group, fewer where they are long. */
  readonly batchSize: number;
  /** The group to go on after, as `GroupBatch.ended` named it; left out: from the first. */
  readonly after?: string | undefined;
}

/** Sorts what stands at different positions into the event log's order. */
export const byPosition = (a: { readonly position: Position }, b: { readonly position: Position }): number =>
  a.position < b.position ? -1 : 1;

/** An event's group: the value of a member of its data; '' where that is no text. */
export const partitionKeyOf = (data: JsonObject, by: string): string => {
  const value = Object.hasOwn(data, by) ? data[by] : undefined;
  return typeof value === 'string' ? value : '';
};

export interface SubscribeOptions {
  readonly batchSize: number;
  readonly signal: AbortSignal;
  /** All when left out. The position advances past events of other types too. */
  readonly types?: readonly string[];
}

/** The events of all streams, in one order. */
export interface EventLog {
  /** Resolves once the events are on disk: all of them or none. @throws LogUnavailableError */
  append(append: AppendRequest): Promise<AppendResult>;
  /** The events of a stream from a revision on, in order; none for an unknown stream. */
  readStream(stream: string, fromRevision?: Revision): Promise<readonly RecordedEvent[]>;
  /**
   * The events of some streams, each stream in its order; none of unknown streams. All are in memory at once. On a
   * file, to read fifty together takes little more than half the time of reading each alone.
   */
  readStreams(streams: readonly string[]): Promise<readonly RecordedEvent[]>;
  /** At most `limit` events after a position, in the event log's order. */
  readAll(after: Position, limit: number): Promise<RecordedEvent[]>;
  /**
   * The events after a position: first the stored ones, then each as it is appended, without gaps, until the signal is
   * aborted. Of a file, events that another process appends come within two seconds. Reads the next batch once the
   * caller has taken the one before.
   *
   * @param after START_POSITION, or the position of a record that the event log still holds
   * @throws CannotResumeError where going on, after this or a later position, might leave out an event
   */
  subscribe(after: Position, options: SubscribeOptions): AsyncIterable<EventBatch>;
  /**
   * The events up to a position, group by group: first those without the member, then by its value; within a group in
   * the event log's order. Ends early when the signal is aborted.
   */
  readGroups(read: GroupReadOptions, signal: AbortSignal): AsyncIterable<GroupBatch>;
  /** The position of the last event, or START_POSITION. */
  head(): Promise<Position>;
  /** The record exactly at a position; undefined where there is none, as at START_POSITION. */
  recordAt(position: Position): Promise<LogEventHeader | undefined>;
  close(): Promise<void>;
}

/** Counts of the event log, for operators. */
export interface LogEventCounter {
  /** How many events of some types there are up to a position. */
  countOf(types: readonly string[], upTo: Position): Promise<number>;
  /** Which share (0 to 1) of the event log up to `upTo` lies before `position`. Left out where counting is cheap. */
  readonly shareOf?: (position: Position, upTo: Position) => number;
  /**
   * How many events there are after a position. The adapter for EventStoreDB counts no further than 10,000, and for no
   * longer than a second: there are that many at least.
   */
  countAfter(position: Position): Promise<number>;
}

/** What is stored under idempotency keys; `EventLog.append` stores a record together with its events. */
export interface IdempotencyStore {
  /**
   * The state of a key for a request.
   *
   * @param overdue a holder whose time is over: the append it has written is carried out now, and its claim does not
   *   count
   */
  findIdempotencyRecord(request: KeyedRequest, overdue?: string): Promise<KeyState>;
  /** Claims a key, if it is free, until it is released or a record is stored with the claim. */
  claimKey(
    request: KeyedRequest,
    overdue?: string,
  ): Promise<Exclude<KeyState, { kind: 'free' }> | { readonly kind: 'claimed'; readonly claim: KeyClaim }>;
  /** Releases a claim that led to nothing. */
  releaseKey(claim: KeyClaim): Promise<void>;
  /** Every idempotency record that has not expired at `now`. */
  idempotencyRecords(now: string): Promise<readonly IdempotencyRecord[]>;
}

/** Appends of a whole history, such as a copy of another event log. */
export interface BulkAppender {
  /**
   * Appends to one or several streams, none with an idempotency record, so that the event log has their events in this
   * order: at any time, and wherever it is interrupted, those that are stored are the first ones. A refused append
   * tells of another program that writes.
   *
   * @returns the stream of the first append that was refused, after which others may be stored; undefined when all are
   * @throws LogUnavailableError
   */
  appendInOrder(appends: readonly AppendRequest[]): Promise<string | undefined>;
}

/** The ports that an adapter implements over one store. Every adapter passes `test/contract/event-store.ts`. */
export interface EventStore extends EventLog, BulkAppender, LogEventCounter, IdempotencyStore {}
