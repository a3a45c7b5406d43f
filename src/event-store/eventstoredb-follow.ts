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

/** Which events are wanted. */
export interface Wanted {
  /** Before the stream names of this service. */
  readonly prefix: string;
  /** What the streams' names begin with, the prefix included; the server sends no others. */
  readonly streams: readonly string[];
  /** All of them when left out. */
  readonly types?: readonly string[] | undefined;
}

/**
 * One subscription of `$all`, for as long as it lasts. A batch is full, or it is the last for now; with the first that is,
 * all that was there has been given, so it is given even when it is empty.
 *
 * @throws Error when the subscription is dropped, after all that came before
 */
export async function* follow(
  client: EventStoreDBClient,
  { prefix, streams, types }: Wanted,
  after: Position,
  { batchSize, signal }: { readonly batchSize: number; readonly signal: AbortSignal },
): AsyncGenerator<EventBatch, void, undefined> {
  const subscription = client.subscribeToAll(
    {
      fromPosition: fromPosition(after),
      filter: {
        filterOn: 'streamName',
        prefixes: [...streams],
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
  let given: Position | undefined;
  let isLive = false;
  let events: RecordedEvent[] = [];
  const batch = (): EventBatch => {
    const full = { events, position, isLast: isLive && subscription.readableLength === 0 };
    events = [];
    given = position;
    return full;
  };
  try {
    while (!signal.aborted) {
      const item = subscription.read() as Item | null;
      if (item === null) {
        if (isLive && given !== position) {
          // Many small batches would cost more than they are worth.
          await delay(GATHER_MS);
          if (subscription.readableLength === 0) yield batch();
        } else if (failure) throw failure;
        else await once(changed, 'change');
        continue;
      }
      if (item.isCaughtUp) isLive = true;
      else if (item.checkpoint) position = toPosition(item.checkpoint);
      else if (item.event) {
        const event = fromClient(item.event, prefix);
        position = event.position;
        if (!types || types.includes(event.type)) events.push(event);
      }
      if (events.length >= batchSize) yield batch();
    }
  } finally {
    signal.removeEventListener('abort', wake);
    // One that never came to be cannot be ended.
    await subscription.unsubscribe().catch(() => undefined);
  }
}
