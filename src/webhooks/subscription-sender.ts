import { setTimeout as delay } from 'node:timers/promises';
import type { WebhookSubscription } from '../streams/webhooks.ts';
import { toLogIdentityReader, compareLogIdentity, laterEvent } from '../event-store/identity.ts';
import { serviceRecordAt } from '../event-store/own-record.ts';
import {
  START_POSITION,
  type EventLog,
  type EventPointer,
  type Position,
  type RecordedEvent,
} from '../event-store/port.ts';
import { backoffMs } from '../lib/backoff.ts';
import { forEachInParallel } from '../lib/for-each-in-parallel.ts';
import type { DocumentWrite } from '../read-models/port.ts';
import { webhookPayloadOf } from './payload.ts';
import type { PostOutcome } from './post-to-receiver.ts';
import {
  cursorsCollection,
  attemptsCollection,
  attemptIdOf,
  removalWrite,
  waitingEntitiesCollection,
  waitingEntityIdOf,
  type DeliveryCursor,
  type DeliveryAttempt,
  type WaitingEntity,
} from './store.ts';

/** When a failed delivery is tried again, and until when. */
export interface RetryPolicy {
  readonly minMs: number;
  readonly maxMs: number;
  readonly giveUpMs: number;
}
export const DEFAULT_RETRY_POLICY: RetryPolicy = { minMs: 1_000, maxMs: 1_800_000, giveUpMs: 3 * 86_400_000 };

/** Entities of a subscription that are delivered at once. */
const MAX_AT_ONCE = 8;
/** Events, or entities that waited, that a kill may have sent again, for each subscription. */
export const BATCH_SIZE = 32;
/** Where so many entities have failed since one was delivered, the receiver counts as down: one at a time is tried. */
const DOWN_AFTER = 5;
/** How long a cursor that has met no event of its types may wait to be stored. */
const STORE_MS = 5_000;
/** Tries that are listed: the last ones, no older than this. */
const MAX_ATTEMPTS_LISTED = 1_000;
export const KEEP_ATTEMPTS_MS = 30 * 86_400_000;
const PURGE_MS = 3_600_000;

interface SubscriptionSenderOptions {
  readonly webhookId: string;
  /** As it was when this began. */
  readonly subscription: WebhookSubscription;
  /** As it is at a try: its secret may have been rotated. Undefined where it was deleted. */
  readonly current: () => Promise<WebhookSubscription | undefined>;
  /** Where it stands, and what waits. */
  readonly cursor: DeliveryCursor;
  readonly waiting: readonly WaitingEntity[];
  readonly eventStore: Pick<EventLog, 'subscribe' | 'readStream' | 'recordAt' | 'readAll'>;
  /** @throws LeaseLostError */
  readonly commit: (writes: readonly DocumentWrite[], last: EventPointer | null) => Promise<void>;
  /** The try that a number names. */
  readonly tryAt: (number: number) => Promise<DeliveryAttempt | undefined>;
  readonly send: (subscription: WebhookSubscription, eventId: string, body: string) => Promise<PostOutcome>;
  readonly onTry: (webhookId: string, posted: PostOutcome, isDelivered: boolean) => void;
  readonly clock: () => Date;
  readonly retries: RetryPolicy;
  readonly signal: AbortSignal;
}

/** Newer code may read it. */
const UNREADABLE: PostOutcome = { status: null, failure: 'UNREADABLE_EVENT', milliseconds: 0 };
const DELETED: PostOutcome = { status: null, failure: 'DELETED', milliseconds: 0 };

/** Sends one subscription its events: those of an entity one after another, and of several entities at once. */
export class SubscriptionSender {
  readonly #options: SubscriptionSenderOptions;
  readonly #waiting: Map<string, WaitingEntity>;
  /** When entities are tried again, in milliseconds of this process; one that is not in it: at once. */
  readonly #dueAt = new Map<string, number>();
  #cursor: DeliveryCursor;
  /** Entities whose event failed since one was last delivered. */
  readonly #failing = new Set<string>();
  /** How often a receiver that is down was tried, and when it is tried again. */
  #probes = 0;
  #probeAt = 0;
  #writes: DocumentWrite[] = [];
  #storedAt = 0;
  #purgedAt = -Infinity;

  constructor(options: SubscriptionSenderOptions) {
    this.#options = options;
    this.#cursor = options.cursor;
    this.#waiting = new Map(options.waiting.map((each) => [each.entity, each]));
  }

  /** How many entities wait, how many of them are parked, and whether it has stopped. */
  figures(): { readonly waiting: number; readonly parked: number; readonly isStopped: boolean } {
    const parked = [...this.#waiting.values()].filter(({ isParked }) => isParked === 1).length;
    return { waiting: this.#waiting.size - parked, parked, isStopped: this.#cursor.stopped !== null };
  }

  /** Sends until the signal is aborted. @throws whatever event log or store fail with, to begin again */
  async run(): Promise<void> {
    const { eventStore, signal } = this.#options;
    await this.#begin();
    if (this.#cursor.stopped !== null) return;
    const after = this.#cursor.last?.position ?? START_POSITION;
    const { types } = this.#options.subscription;
    const batches = eventStore.subscribe(after, { batchSize: BATCH_SIZE, types, signal });
    const iterator = batches[Symbol.asyncIterator]();
    let next = iterator.next();
    // Awaited below; until then a failure must not count as unhandled.
    next.catch(() => undefined);
    const isOver = () => signal.aborted;
    while (!isOver()) {
      if (await this.#isRetryFirst(next)) {
        await this.#retry();
        continue;
      }
      const result = await next;
      if (result.done === true) break;
      const batch = result.value;
      await this.#deliver(batch.events);
      // What was under way when it was stopped is sent again.
      if (isOver()) break;
      const seen = batch.events.at(-1);
      const last = laterEvent(batch.last ?? null, seen ? { position: seen.position, id: seen.id } : null);
      this.#cursor = { ...this.#cursor, last: laterEvent(last, this.#cursor.last) };
      if (this.#writes.length > 0 || performance.now() - this.#storedAt >= STORE_MS) await this.#store();
      next = iterator.next();
      next.catch(() => undefined);
    }
    await this.#store();
  }

  /** Compares the event log with the one that was seen, and begins a replay that was asked for. */
  async #begin(): Promise<void> {
    const { eventStore, subscription } = this.#options;
    const log = toLogIdentityReader(eventStore);
    const first = (await log.first()) ?? null;
    const compared = await compareLogIdentity(this.#cursor, log);
    if (compared.kind === 'same') this.#cursor = { ...this.#cursor, first, stopped: null };
    else
      this.#stop(
        compared.kind === 'older'
          ? 'the event log is an older state, or its end was lost: a replay says from where to go on'
          : 'the event log is another one: a replay says from where to go on',
      );
    const { replays, lastReplays } = subscription;
    const begun = lastReplays.length - (replays - this.#cursor.replays);
    for (const after of lastReplays.slice(Math.max(0, begun))) await this.#replay(after, first);
    // A replay that stopped it is not counted, so that the next start tries it again.
    if (this.#cursor.stopped === null) this.#cursor = { ...this.#cursor, replays };
    await this.#store();
  }

  #stop(stopped: string): void {
    this.#cursor = { ...this.#cursor, stopped };
  }

  /** Goes back to a position, and makes all that waits due now. @param after null: goes back nowhere */
  async #replay(after: Position | null, first: EventPointer | null): Promise<void> {
    if (after !== null) {
      const { last, stopped } = this.#cursor;
      const record = after === START_POSITION ? undefined : await serviceRecordAt(this.#options.eventStore, after);
      if (after !== START_POSITION && !record) {
        this.#stop(`no event stands at ${after}, from where a replay was asked for`);
        return;
      }
      const mark = record ? { position: after, id: record.id } : null;
      const isBack = stopped !== null || after < (last?.position ?? START_POSITION);
      this.#cursor = { ...this.#cursor, first, last: isBack ? mark : last, stopped: null };
    }
    const since = this.#now();
    for (const each of [...this.#waiting.values()])
      // The events after the position are met again.
      if (after !== null && each.position > after) this.#forget(each.entity);
      else this.#keep({ ...each, since, nextAt: since, parkedAt: null, isParked: 0 }, 0);
  }

  #now(): string {
    return this.#options.clock().toISOString();
  }

  #isDown(): boolean {
    return this.#failing.size >= DOWN_AFTER;
  }

  #keep(waiting: WaitingEntity, pauseMs: number): void {
    const { entity, webhookId } = waiting;
    this.#waiting.set(entity, waiting);
    this.#dueAt.set(entity, performance.now() + pauseMs);
    this.#writes.push({
      collection: waitingEntitiesCollection,
      id: waitingEntityIdOf(webhookId, entity),
      doc: waiting,
    });
  }

  #forget(entity: string): void {
    const { webhookId } = this.#options;
    this.#waiting.delete(entity);
    this.#dueAt.delete(entity);
    this.#writes.push(removalWrite(waitingEntitiesCollection, waitingEntityIdOf(webhookId, entity), webhookId));
  }

  /** When an entity is tried again; undefined while none is to be. */
  #nextDue(): number | undefined {
    let next: number | undefined;
    for (const { entity, isParked } of this.#waiting.values())
      if (isParked === 0) next = Math.min(next ?? Infinity, this.#dueAt.get(entity) ?? 0);
    return next === undefined ? undefined : this.#isDown() ? Math.max(next, this.#probeAt) : next;
  }

  /** Waits for a batch, or until an entity is due; tells whether one is. */
  async #isRetryFirst(batch: Promise<unknown>): Promise<boolean> {
    const due = this.#nextDue();
    if (due === undefined) return false;
    const pause = due - performance.now();
    if (pause <= 0) return true;
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, this.#options.signal]);
    const isDue = delay(pause, true, { signal }).catch(() => false);
    const first = await Promise.race([isDue, batch.then(() => false)]);
    over.abort();
    return first;
  }

  async #deliver(events: readonly RecordedEvent[]): Promise<void> {
    const byEntity = new Map<string, RecordedEvent[]>();
    for (const event of events) byEntity.set(event.stream, [...(byEntity.get(event.stream) ?? []), event]);
    await forEachInParallel([...byEntity.values()], MAX_AT_ONCE, async (own) => {
      for (const event of own) {
        if (this.#options.signal.aborted || this.#waiting.has(event.stream)) return;
        if (this.#isDown()) this.#wait(event, 0, this.#now());
        else if (!(await this.#try(event))) this.#wait(event, 1, this.#now());
      }
    });
  }

  /** Makes an event wait with the later ones of its entity, or parks them. */
  #wait({ stream, revision, position }: RecordedEvent, failures: number, since: string): void {
    const { clock, retries, webhookId, signal } = this.#options;
    if (signal.aborted) return;
    const now = clock().getTime();
    const isOver = failures > 0 && this.#isOverdue(since);
    const pauseMs = backoffMs(Math.max(0, failures - 1), retries.minMs, retries.maxMs);
    this.#keep(
      {
        webhookId,
        entity: stream,
        revision,
        position,
        failures,
        since,
        nextAt: new Date(now + pauseMs).toISOString(),
        parkedAt: isOver ? new Date(now).toISOString() : null,
        isParked: isOver ? 1 : 0,
      },
      pauseMs,
    );
  }

  #isOverdue(since: string): boolean {
    const { clock, retries } = this.#options;
    return clock().getTime() - Date.parse(since) >= retries.giveUpMs;
  }

  /** Parks what has waited too long for a receiver that is down, tried or not. */
  #parkOverdue(): void {
    const parkedAt = this.#now();
    for (const each of [...this.#waiting.values()])
      if (each.isParked === 0 && this.#isOverdue(each.since)) this.#keep({ ...each, parkedAt, isParked: 1 }, 0);
  }

  /**
   * Entities that are due. While the receiver is down only the one that has failed least: one that is always refused
   * would say little about the receiver.
   */
  #due(): readonly WaitingEntity[] {
    const now = performance.now();
    const due = [...this.#waiting.values()].filter(
      ({ entity, isParked }) => isParked === 0 && (this.#dueAt.get(entity) ?? 0) <= now,
    );
    if (!this.#isDown()) return due.slice(0, BATCH_SIZE);
    return due.sort((a, b) => a.failures - b.failures).slice(0, 1);
  }

  /** Tries entities that are due. */
  async #retry(): Promise<void> {
    const wasDown = this.#isDown();
    await forEachInParallel(this.#due(), MAX_AT_ONCE, (each) => this.#release(each));
    if (wasDown && !this.#isDown()) this.#dueAt.clear();
    if (this.#isDown()) this.#parkOverdue();
    await this.#store();
  }

  /** Delivers what an entity has waiting, until one fails. */
  async #release({ entity, revision, since, failures }: WaitingEntity): Promise<void> {
    const { eventStore, subscription, signal } = this.#options;
    const { types } = subscription;
    const upTo = this.#cursor.last?.position ?? START_POSITION;
    const events = (await eventStore.readStream(entity, revision)).filter(
      ({ type, position }) => types.includes(type) && position <= upTo,
    );
    let [failed, from] = [failures, since];
    for (const event of events) {
      const isDelivered = await this.#try(event);
      if (signal.aborted) return;
      if (!isDelivered) {
        this.#wait(event, failed + 1, from);
        return;
      }
      [failed, from] = [0, this.#now()];
    }
    this.#forget(entity);
  }

  /** Sends an event once and records the attempt; false also if this was stopped meanwhile. */
  async #try(event: RecordedEvent): Promise<boolean> {
    const { webhookId, onTry, signal, retries } = this.#options;
    const at = this.#now();
    const posted = await this.#send(event);
    if (signal.aborted) return false;
    const isDelivered = posted.status !== null && posted.status >= 200 && posted.status < 300;
    if (isDelivered) {
      this.#failing.clear();
      this.#probes = 0;
    } else if (posted !== UNREADABLE) {
      this.#failing.add(event.stream);
      if (this.#isDown()) this.#probeAt = performance.now() + backoffMs(this.#probes++, retries.minMs, retries.maxMs);
    }
    onTry(webhookId, posted, isDelivered);
    const number = this.#cursor.nextTry;
    this.#cursor = { ...this.#cursor, nextTry: number + 1 };
    const doc: DeliveryAttempt = {
      webhookId,
      number,
      at,
      eventId: event.id,
      type: event.type,
      entity: event.stream,
      revision: event.revision,
      position: event.position,
      isDelivered,
      ...posted,
    };
    this.#writes.push({ collection: attemptsCollection, id: attemptIdOf(webhookId, number), doc });
    return isDelivered;
  }

  async #send(event: RecordedEvent): Promise<PostOutcome> {
    const subscription = await this.#options.current();
    if (!subscription) return DELETED;
    let body: string;
    try {
      body = webhookPayloadOf(event, subscription.includesPersonalData);
    } catch {
      return UNREADABLE;
    }
    return this.#options.send(subscription, event.id, body);
  }

  /** Stores what has changed. Where the commit fails, this sender ends and another begins from what is stored. */
  async #store(): Promise<void> {
    await this.#purge();
    const writes = this.#writes;
    this.#writes = [];
    const { webhookId, commit } = this.#options;
    this.#storedAt = performance.now();
    await commit([...writes, { collection: cursorsCollection, id: webhookId, doc: this.#cursor }], this.#cursor.last);
  }

  /** Removes tries beyond the last ones, and those that are too old. */
  async #purge(): Promise<void> {
    const { webhookId, tryAt, clock } = this.#options;
    const { nextTry, oldestTry } = this.#cursor;
    let oldest = Math.max(oldestTry, nextTry - MAX_ATTEMPTS_LISTED);
    if (performance.now() - this.#purgedAt >= PURGE_MS) {
      this.#purgedAt = performance.now();
      const limit = new Date(clock().getTime() - KEEP_ATTEMPTS_MS).toISOString();
      for (; oldest < nextTry; oldest++) {
        const found = await tryAt(oldest);
        if (found === undefined || found.at >= limit) break;
      }
    }
    for (let number = oldestTry; number < oldest; number++)
      this.#writes.push(removalWrite(attemptsCollection, attemptIdOf(webhookId, number), webhookId));
    this.#cursor = { ...this.#cursor, oldestTry: oldest };
  }
}
