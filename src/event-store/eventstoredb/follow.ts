import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { AllStreamResolvedEvent, EventStoreDBClient, Position as LogPosition } from '@eventstore/db-client';
import { fromClientEvent, toClientPosition, toEventPointer } from './client-events.ts';
import { LEADER_OPTIONS } from './leader.ts';
import { endSubscription, SEARCH_WINDOW } from './reads.ts';
import { findCheckpointRecord, requireRecordAt } from './records.ts';
import { START_POSITION, type EventBatch, type EventPointer, type RecordedEvent } from '../port.ts';

/** Events that may wait here: the server drops a live subscription that is 32 behind. */
const MAX_WAITING = 4_000;
/** How many search windows lie between checkpoints. */
const CHECKPOINT_INTERVAL = 4;

/** How long a batch at the end of the event log waits for more events. */
const GATHER_MS = 20;

/** Events, with checkpoints and the notice of having caught up between them, in the event log's order. */
interface Item extends Pick<AllStreamResolvedEvent, 'event'> {
  readonly checkpoint?: LogPosition;
  readonly isCaughtUp?: true;
}

interface ServiceStreams {
  readonly prefix: string;
  /** Beginnings of their names, one for each category, the prefix included. */
  readonly streams: readonly string[];
  readonly isOurs: (stream: string) => boolean;
}

export interface FollowOptions {
  readonly batchSize: number;
  readonly signal: AbortSignal;
  /** The event types to give; all when left out. */
  readonly types?: readonly string[] | undefined;
  /** Ends after the stored events; `newest`, this service's last event, is where the last batch ends then. */
  readonly untilNow?: { readonly newest?: EventPointer } | undefined;
}

/** A batch with the record that it ends at, after which another subscription can go on. */
export interface FollowedBatch extends Pick<EventBatch, 'events' | 'isLast'> {
  /** Undefined at the start of the event log. */
  readonly end: EventPointer | undefined;
  /** The last event of this service that came by. */
  readonly last: EventPointer | undefined;
}

/**
 * The server filters by stream or by type. With `untilNow` only the types asked for need come; otherwise every event of
 * this service tells how far the event log has grown.
 */
const filterOf = ({ streams }: ServiceStreams, { types, untilNow }: FollowOptions) =>
  types && types.length > 0 && untilNow
    ? { filterOn: 'eventType' as const, prefixes: [...types] }
    : { filterOn: 'streamName' as const, prefixes: [...streams] };

/**
 * One subscription to `$all`, until it ends. A batch is full or `isLast`; the first `isLast` batch comes even when
 * empty, to tell that all stored events were given.
 *
 * @param after undefined for the start of the event log
 * @throws CannotResumeError, before the first batch, when the event log no longer holds that record
 * @throws Error when the subscription is dropped, after all events that came before
 */
export async function* followLog(
  client: EventStoreDBClient,
  ours: ServiceStreams,
  after: EventPointer | undefined,
  options: FollowOptions,
): AsyncGenerator<FollowedBatch, void, undefined> {
  const { prefix, isOurs } = ours;
  const { batchSize, signal, types, untilNow } = options;
  const wanted = types && new Set(types);
  const subscription = client.subscribeToAll(
    {
      ...LEADER_OPTIONS,
      fromPosition: toClientPosition(after?.position ?? START_POSITION),
      filter: {
        ...filterOf(ours, options),
        maxSearchWindow: SEARCH_WINDOW,
        checkpointInterval: CHECKPOINT_INTERVAL,
        checkpointReached: (_, checkpoint) => {
          subscription.push({ checkpoint } satisfies Item);
        },
      },
    },
    { highWaterMark: MAX_WAITING },
  );
  let failure: Error | undefined;
  const changed = new EventTarget();
  const wake = () => changed.dispatchEvent(new Event('change'));
  const fail = (error?: Error) => {
    failure ??= error ?? new Error('The subscription has ended');
    wake();
  };
  subscription
    .on('caughtUp', () => subscription.push({ isCaughtUp: true } satisfies Item))
    .on('readable', wake)
    .on('error', fail)
    .on('end', () => fail())
    .on('close', () => fail());
  signal.addEventListener('abort', wake);

  let isBegun = after === undefined;
  let end = after;
  /** Up to here, after `end`, the server has looked through the event log. */
  let checkpoint = undefined as LogPosition | undefined;
  let last: EventPointer | undefined;
  let isLive = false;
  /** The end that the last `isLast` batch had; null before the first. */
  let reported = null as EventPointer | undefined | null;
  let hasGathered = false;
  let events: RecordedEvent[] = [];
  const advance = (to: EventPointer): boolean => {
    if (to.position <= (end?.position ?? START_POSITION)) return false;
    end = to;
    return true;
  };
  const batch = async (): Promise<FollowedBatch> => {
    const reached = checkpoint && (await findCheckpointRecord(client, checkpoint));
    checkpoint = undefined;
    if (reached) advance(reached);
    const full = { events, end, last, isLast: isLive && subscription.readableLength === 0 };
    events = [];
    if (full.isLast) reported = end;
    return full;
  };
  try {
    while (!signal.aborted) {
      const item = subscription.read() as Item | null;
      if (item === null) {
        if (isLive && (reported !== end || checkpoint)) {
          // Waits once for more events, since many small batches are costly; under load there is always one more.
          if (hasGathered) yield await batch();
          else await delay(GATHER_MS);
          hasGathered = !hasGathered;
        } else if (failure) throw failure;
        else await once(changed, 'change');
        continue;
      }
      // The server has found its place: a record that still stands there is the one it began after.
      if (!isBegun && after) await requireRecordAt(client, after.position, after.id);
      isBegun = true;
      if (item.isCaughtUp) {
        isLive = true;
        if (!untilNow) continue;
        const { newest } = untilNow;
        if (newest && advance(newest)) last = end;
        yield await batch();
        return;
      } else if (item.checkpoint) checkpoint = item.checkpoint;
      else if (item.event) {
        const { type, streamId } = item.event;
        end = toEventPointer(item.event);
        checkpoint = undefined;
        if (isOurs(streamId)) last = end;
        if (isOurs(streamId) && (!wanted || wanted.has(type))) events.push(fromClientEvent(item.event, prefix));
      }
      if (events.length >= batchSize) {
        hasGathered = false;
        yield await batch();
      }
    }
  } finally {
    signal.removeEventListener('abort', wake);
    await endSubscription(subscription);
  }
}
