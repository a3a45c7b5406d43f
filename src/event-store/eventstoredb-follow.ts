import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type {
  AllStreamResolvedEvent,
  EventStoreDBClient,
  Position as LogPosition,
} from '@eventstore/db-client';
import { fromClient, fromPosition, toPosition } from './eventstoredb-events.ts';
import type { EventBatch, Position, RecordedEvent } from './port.ts';

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
  /** Ends when all that is wanted up to here was given; a position that the log has come to. */
  readonly upTo?: Position | undefined;
}

/**
 * What the server leaves out: it can look at streams or at types. Where the end is known only types that are wanted need
 * come; later on, every event of ours tells how far the log is.
 */
const filterOf = ({ streams }: OurStreams, { types, upTo }: FollowOptions) =>
  types && types.length > 0 && upTo !== undefined
    ? { filterOn: 'eventType' as const, prefixes: [...types] }
    : { filterOn: 'streamName' as const, prefixes: [...streams] };

/**
 * One subscription of `$all`, for as long as it lasts. A batch is full, or it is the last for now; with the first that is,
 * all that was there has been given, so it is given even when it is empty.
 *
 * @throws Error when the subscription is dropped, after all that came before
 */
export async function* follow(
  client: EventStoreDBClient,
  ours: OurStreams,
  after: Position,
  options: FollowOptions,
): AsyncGenerator<EventBatch, void, undefined> {
  const { prefix, streams } = ours;
  const { batchSize, signal, types, upTo } = options;
  const wanted = types && new Set(types);
  const isWanted = (type: string, stream: string) =>
    (!wanted || wanted.has(type)) && streams.some((start) => stream.startsWith(start));
  const subscription = client.subscribeToAll(
    {
      fromPosition: fromPosition(after),
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
  const end = (error?: Error) => {
    failure ??= error ?? new Error('The subscription has ended');
    wake();
  };
  subscription
    .on('caughtUp', () => subscription.push({ isCaughtUp: true } satisfies Item))
    .on('readable', wake)
    .on('error', end)
    .on('end', () => end())
    .on('close', () => end());
  signal.addEventListener('abort', wake);

  let position = after;
  let isLive = false;
  /** Where it was said that the log ends. */
  let told: Position | undefined;
  let hasGathered = false;
  let events: RecordedEvent[] = [];
  const batch = (): EventBatch => {
    const full = { events, position, isLast: isLive && subscription.readableLength === 0 };
    events = [];
    if (full.isLast) told = position;
    return full;
  };
  try {
    while (!signal.aborted) {
      const item = subscription.read() as Item | null;
      if (item === null) {
        if (isLive && told !== position) {
          // Many small batches would cost more than they are worth. Once is enough: under load there is always one more.
          if (hasGathered) yield batch();
          else await delay(GATHER_MS);
          hasGathered = !hasGathered;
        } else if (failure) throw failure;
        else await once(changed, 'change');
        continue;
      }
      if (item.isCaughtUp) {
        isLive = true;
        if (upTo === undefined) continue;
        if (upTo > position) position = upTo;
        yield batch();
        return;
      } else if (item.checkpoint) position = toPosition(item.checkpoint);
      else if (item.event) {
        const { type, streamId } = item.event;
        if (isWanted(type, streamId)) events.push(fromClient(item.event, prefix));
        position = toPosition(item.event.position);
      }
      if (events.length >= batchSize) {
        hasGathered = false;
        yield batch();
      }
    }
  } finally {
    signal.removeEventListener('abort', wake);
    // One that never came to be cannot be ended.
    await subscription.unsubscribe().catch(() => undefined);
  }
}
