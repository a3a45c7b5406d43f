import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type {
  AllStreamResolvedEvent,
  EventStoreDBClient,
  Position as LogPosition,
} from '@eventstore/db-client';
import { fromClient, fromPosition, markOf } from './events.ts';
import { OF_LEADER } from './leader.ts';
import { recordOfCheckpoint, stillAt } from './records.ts';
import { START, type EventBatch, type Mark, type RecordedEvent } from '../port.ts';

/** Events that may wait here: the server itself drops a live subscription that is 32 behind. */
const MOST_WAITING = 4_000;
/** How many events the server looks through at a time, and after how many of those it says how far it has come. */
const SEARCH_WINDOW = 500;
const CHECKPOINT_INTERVAL = 4;

/** How long the last events of the log wait for others to come with them. */
const GATHER_MS = 20;

/** What the subscription gives, and what we push between, so that all of it comes in the log's order. */
interface Item extends Pick<AllStreamResolvedEvent, 'event'> {
  readonly checkpoint?: LogPosition;
  readonly isCaughtUp?: true;
}

/** Which streams are ours. */
export interface OurStreams {
  /** Before the names of them all. */
  readonly prefix: string;
  /** What the names begin with, the prefix included. */
  readonly streams: readonly string[];
}

export interface FollowOptions {
  readonly batchSize: number;
  readonly signal: AbortSignal;
  /** The types that are wanted; all of them when left out. */
  readonly types?: readonly string[] | undefined;
  /** Ends when all that is there and wanted was given: by then it has come to the newest event of ours, if that is told. */
  readonly untilNow?: { readonly newest?: Mark } | undefined;
}

/** A batch by the records that it ends at, so that another subscription can go on after it. */
export interface FollowedBatch extends Pick<EventBatch, 'events' | 'isLast'> {
  /** Undefined at the start of the log. */
  readonly end: Mark | undefined;
  /** The last event of ours that this subscription has come past. */
  readonly last: Mark | undefined;
}

/**
 * What the server leaves out: it can look at streams or at types. Where the end is known only types that are wanted need
 * come; later on, every event of ours tells how far the log is.
 */
const filterOf = ({ streams }: OurStreams, { types, untilNow }: FollowOptions) =>
  types && types.length > 0 && untilNow
    ? { filterOn: 'eventType' as const, prefixes: [...types] }
    : { filterOn: 'streamName' as const, prefixes: [...streams] };

/**
 * One subscription of `$all`, for as long as it lasts. A batch is full, or it is the last for now; with the first that is,
 * all that was there has been given, so it is given even when it is empty.
 *
 * @param after a record; undefined for the start of the log
 * @throws CannotResume when the log does not hold that record any more, before anything is given
 * @throws Error when the subscription is dropped, after all that came before
 */
export async function* follow(
  client: EventStoreDBClient,
  ours: OurStreams,
  after: Mark | undefined,
  options: FollowOptions,
): AsyncGenerator<FollowedBatch, void, undefined> {
  const { prefix, streams } = ours;
  const { batchSize, signal, types, untilNow } = options;
  const wanted = types && new Set(types);
  const isOurs = (stream: string) => streams.some((start) => stream.startsWith(start));
  const subscription = client.subscribeToAll(
    {
      ...OF_LEADER,
      fromPosition: fromPosition(after?.position ?? START),
      filter: {
        ...filterOf(ours, options),
        maxSearchWindow: SEARCH_WINDOW,
        checkpointInterval: CHECKPOINT_INTERVAL,
        checkpointReached: (_, checkpoint) => {
          subscription.push({ checkpoint } satisfies Item);
        },
      },
    },
    { highWaterMark: MOST_WAITING },
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
  /** What the server has looked through behind that. */
  let checkpoint = undefined as LogPosition | undefined;
  let last: Mark | undefined;
  let isLive = false;
  /** Where it was said that the log ends; null before. */
  let told = null as Mark | undefined | null;
  let hasGathered = false;
  let events: RecordedEvent[] = [];
  const advance = (to: Mark): boolean => {
    if (to.position <= (end?.position ?? START)) return false;
    end = to;
    return true;
  };
  const batch = async (): Promise<FollowedBatch> => {
    const reached = checkpoint && (await recordOfCheckpoint(client, checkpoint));
    checkpoint = undefined;
    if (reached) advance(reached);
    const full = { events, end, last, isLast: isLive && subscription.readableLength === 0 };
    events = [];
    if (full.isLast) told = end;
    return full;
  };
  try {
    while (!signal.aborted) {
      const item = subscription.read() as Item | null;
      if (item === null) {
        if (isLive && (told !== end || checkpoint)) {
          // Many small batches would cost more than they are worth. Once is enough: under load there is always one more.
          if (hasGathered) yield await batch();
          else await delay(GATHER_MS);
          hasGathered = !hasGathered;
        } else if (failure) throw failure;
        else await once(changed, 'change');
        continue;
      }
      // The server has looked for the place by now: what still stands there is what it has begun after.
      if (!isBegun && after) await stillAt(client, after.position, after.id);
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
        end = markOf(item.event);
        checkpoint = undefined;
        if (isOurs(streamId)) last = end;
        if (isOurs(streamId) && (!wanted || wanted.has(type))) events.push(fromClient(item.event, prefix));
      }
      if (events.length >= batchSize) {
        hasGathered = false;
        yield await batch();
      }
    }
  } finally {
    signal.removeEventListener('abort', wake);
    // One that never came to be cannot be ended.
    await subscription.unsubscribe().catch(() => undefined);
  }
}
