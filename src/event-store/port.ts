import type { JsonObject } from '../schema/json.ts';

/**
 * A place in the whole log. Opaque text whose alphabetical order is the log's order, so that every store can compare
 * it; the adapters give it a fixed width.
 */
export type Position = string;

/** Before the first event. */
export const START: Position = '0';

/** The revision a stream must be at for an append: that of its last event, or -1 when it must not exist yet. */
export type Revision = number;
export const NO_STREAM: Revision = -1;

/** An event as it is handed to the store. */
export interface EventData {
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly data: JsonObject;
  readonly metadata: JsonObject;
}

/** An event as the store gives it back. Revisions are 0-based within the stream. */
export interface RecordedEvent extends EventData {
  readonly stream: string;
  readonly revision: Revision;
  readonly position: Position;
  /**
   * What is wrong with an event that this service cannot have written, in words for people. Its data and metadata are
   * empty then, and its version is 0.
   */
  readonly foreign?: string;
}

/** A record of the log, known again by its id. */
export interface Mark {
  readonly position: Position;
  readonly id: string;
}

/** What stands at a position. */
export interface LogRecord {
  readonly id: string;
  /** Null for a stream that is not of this service. */
  readonly stream: string | null;
  readonly revision: Revision;
}

/**
 * The log cannot be reached or written now, and may be in a moment. What was to be appended may have been stored all the
 * same. The message tells which log, in words for anybody; why is its cause.
 */
export class LogUnavailable extends Error {}

/** The log does not hold the record any more that a read was to go on after: begin again from a position that is known. */
export class CannotResume extends Error {
  constructor(position: Position) {
    super(
      `The log cannot be followed on from ${position}: what stood there is gone, or something else stands there`,
    );
  }
}

/**
 * What is remembered of a request that carried an `Idempotency-Key`: enough to answer it again. It holds no secret:
 * tokens are derived anew when the answer is made.
 */
export interface Receipt {
  /** Hash of the key and of those it belongs to. */
  readonly key: string;
  /** Hash of the request. */
  readonly fingerprint: string;
  readonly result: JsonObject;
  readonly position: Position;
  /** RFC 3339; from then on the receipt does not exist. */
  readonly expiresAt: string;
}

/** A request under an `Idempotency-Key`, as the log knows it. */
export interface KeyedRequest extends Pick<Receipt, 'key' | 'fingerprint' | 'expiresAt'> {
  /** RFC 3339, by the clock of the request; what has expired by then under its key makes room. */
  readonly storedAt: string;
}

/** A key that is held for one request until that has ended. */
export interface KeyClaim {
  readonly key: string;
  readonly id: string;
}

export interface NewReceipt extends KeyedRequest {
  readonly result: JsonObject;
  /** Where the key was claimed for this request. */
  readonly claim?: KeyClaim | undefined;
}

/** Another request is under way under the key, or was interrupted. */
export interface KeyHeld {
  readonly kind: 'held';
  readonly by: string;
  /** What its holder has left to do: all that a request does, or only the append that it has written down. */
  readonly left: 'request' | 'append';
}
/** How a key stands for a request. */
export type KeyState =
  | { readonly kind: 'free' }
  | { readonly kind: 'found'; readonly receipt: Receipt }
  /** Used, or about to be, with another fingerprint. */
  | { readonly kind: 'other-request' }
  | KeyHeld;

/** The outcome of an append; a refused one has changed nothing. */
export type AppendResult =
  | { readonly kind: 'appended'; readonly position: Position }
  | { readonly kind: 'wrong-revision' }
  /** The key of the receipt is not free, or its claim was taken over. */
  | { readonly kind: 'key-taken' };

export interface Append {
  readonly stream: string;
  readonly expectedRevision: Revision;
  /** May be empty when there is a receipt to keep. */
  readonly events: readonly EventData[];
  /** Stored in the same transaction as the events. */
  readonly receipt?: NewReceipt | undefined;
  /** Where the state behind the decision was last changed; a receipt without events remembers it. */
  readonly decidedAt?: Position | undefined;
}

/** A part of the log, as a subscription gives it. */
export interface EventBatch {
  /** In the log's order. */
  readonly events: readonly RecordedEvent[];
  /** Everything up to here that was wanted has been given. */
  readonly position: Position;
  /** Whether the log ended here when the batch was read. */
  readonly isLast: boolean;
  /**
   * The last event of this service's streams up to the position, wanted or not, as far as it came. Left out while this
   * subscription has come past none.
   */
  readonly last?: Mark;
}

/** Some events of groups, as text: it can go to another thread at little cost. */
export interface GroupBatch {
  /** For each group a JSON array of its events: many small texts go to another thread at less cost than a large one. */
  readonly texts: readonly string[];
  /** The group that ends with the batch, as the store names it; undefined: the last one goes on. */
  readonly ended: string | undefined;
  /** How many events the groups have together, as far as that is known by now. A batch without any only says that. */
  readonly of?: number;
}

/** Which events are read group by group. */
export interface GroupRead {
  /** The member of an event's data whose value is its group. */
  readonly by: string;
  readonly types: readonly string[];
  readonly upTo: Position;
  /** A batch has so many events, or those that complete its last group as well, up to twice as many; fewer where they are long. */
  readonly batchSize: number;
  /** The group that ended last, as a read of the same events named it; left out: from the first one. */
  readonly after?: string | undefined;
}

/** The group of an event by a member of its data; '' for an event without such a text. */
export const groupOf = (data: JsonObject, by: string): string => {
  const value = Object.hasOwn(data, by) ? data[by] : undefined;
  return typeof value === 'string' ? value : '';
};

/** How the log is followed. */
export interface SubscribeOptions {
  readonly batchSize: number;
  readonly signal: AbortSignal;
  /** Those that are wanted; all of them when left out. The position advances past the others. */
  readonly types?: readonly string[];
}

/** The log of all events. Every adapter passes `test/contract/event-store.ts`. */
export interface EventStore {
  /**
   * Resolves once the events are on disk; events of one append are stored together or not at all.
   *
   * @throws LogUnavailable
   */
  append(append: Append): Promise<AppendResult>;
  /** The events of a stream from a revision on, in order; none for an unknown stream. */
  readStream(stream: string, fromRevision?: Revision): Promise<readonly RecordedEvent[]>;
  /** At most `limit` events after a position, in the log's order. */
  readAll(after: Position, limit: number): Promise<RecordedEvent[]>;
  /**
   * The events after a position: first those that are there, then each as it comes, without a gap and without polling.
   * Ends when the signal is aborted. The next batch is read only when the one before was taken.
   *
   * @param after START, or the position of a record that the log still holds
   * @throws CannotResume where going on after a position, the first or a later one, might leave out an event
   */
  subscribe(after: Position, options: SubscribeOptions): AsyncIterable<EventBatch>;
  /**
   * The events up to a position, group after group by a member of their data: those without it first, then by its value;
   * within a group in the log's order. Ends early when the signal is aborted.
   */
  readGroups(read: GroupRead, signal: AbortSignal): AsyncIterable<GroupBatch>;
  /** How many events of some types there are up to a position. */
  countOf(types: readonly string[], upTo: Position): Promise<number>;
  /** Which share of the log up to a position lies before another, from 0 to 1. There where counting is reading it all. */
  readonly shareOf?: (position: Position, upTo: Position) => number;
  /** The position of the last event, or START. */
  head(): Promise<Position>;
  /** The record that stands exactly at a position; undefined where none does, as at START. */
  recordAt(position: Position): Promise<LogRecord | undefined>;
  /** Whether the log has come to a position, which it may have without an event of this service. */
  holds(position: Position): Promise<boolean>;
  /** How many events there are after a position. */
  countAfter(position: Position): Promise<number>;
  /**
   * How a key stands for a request.
   *
   * @param overdue a holder of the key that has had its time: an append that it has written down is done now, its claim
   *   does not count
   */
  findReceipt(request: KeyedRequest, overdue?: string): Promise<KeyState>;
  /** Holds a key for a request, if it is free: until it is given back, or a receipt is stored with the claim. */
  claimKey(
    request: KeyedRequest,
    overdue?: string,
  ): Promise<Exclude<KeyState, { kind: 'free' }> | { readonly kind: 'claimed'; readonly claim: KeyClaim }>;
  /** Gives a claim back that led to nothing. */
  releaseKey(claim: KeyClaim): Promise<void>;
  /** Every receipt that has not expired at `now`. */
  receipts(now: string): Promise<readonly Receipt[]>;
  close(): Promise<void>;
}
