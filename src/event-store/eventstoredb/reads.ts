import type {
  AllStreamRecordedEvent,
  AllStreamResolvedEvent,
  AllStreamSubscription,
  EventStoreDBClient,
  Position as LogPosition,
  RecordedEvent,
} from '@eventstore/db-client';
import { toEventPointer, toPosition } from './client-events.ts';
import { LEADER_OPTIONS } from './leader.ts';
import { isClientErrorOfType, retryWithCircuitBreaker } from './retry.ts';
import { START_POSITION, type EventPointer, type Position } from '../port.ts';

/** Events that the server filters at a time. */
export const SEARCH_WINDOW = 500;
type AllStreamPosition = 'end' | LogPosition;

/** Reads to the end: a read left early stays open, and keeps the client library from closing. */
export const collect = async <T>(read: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const each of read) all.push(each);
  return all;
};

type StreamPart =
  | { readonly fromRevision: bigint; readonly maxCount?: number }
  | { readonly direction: 'backwards'; readonly maxCount: number };

/** The events of a stream; none for an unknown one. */
export const readStreamEvents = (
  client: EventStoreDBClient,
  stream: string,
  options: StreamPart,
): Promise<RecordedEvent[]> =>
  retryWithCircuitBreaker(client, async () => {
    try {
      const from = 'direction' in options ? { fromRevision: 'end' as const } : {};
      return (await collect(client.readStream(stream, { ...LEADER_OPTIONS, ...options, ...from }))).flatMap(
        ({ event }) => event ?? [],
      );
    } catch (error) {
      if (isClientErrorOfType(error, 'stream-not-found')) return [];
      throw error;
    }
  });

/** The last events of a stream, newest first. */
export const readLastStreamEvents = (
  client: EventStoreDBClient,
  stream: string,
  maxCount: number,
): Promise<RecordedEvent[]> => readStreamEvents(client, stream, { direction: 'backwards', maxCount });

/** Pages grow, since other services may have written much after this service's last event. */
const MIN_PAGE = 20;
/** At a page of this size, no event of the service is near: the server is asked first whether there is any. */
const NOT_NEAR = MIN_PAGE * 2 ** 4;
const MAX_PAGE = 1_280;

/** Events of all streams before a position, newest first. */
const pageBefore = (
  client: EventStoreDBClient,
  fromPosition: AllStreamPosition,
  maxCount: number,
): Promise<AllStreamRecordedEvent[]> =>
  retryWithCircuitBreaker(client, async () => {
    const read = client.readAll({ ...LEADER_OPTIONS, direction: 'backwards', fromPosition, maxCount });
    return (await collect(read)).flatMap(({ event }) => event ?? []);
  });

export interface ServiceLogEnd {
  /** The last wanted event; undefined where there is none. */
  readonly newest: EventPointer | undefined;
  /** The position of the last event of any service. */
  readonly end: Position;
}

export const UNSEEN_SERVICE_LOG_END: ServiceLogEnd = { newest: undefined, end: START_POSITION };

/**
 * The last wanted event, searched from the end of the event log backwards.
 *
 * @param before the look before: nothing up to its end is read again, unless the event log has lost it
 * @param isAnyThere asked when none is near the end: reading back through other services' events takes long
 */
export const findServiceLogEnd = async (
  client: EventStoreDBClient,
  isWanted: (stream: string) => boolean,
  { before, isAnyThere }: { readonly before: ServiceLogEnd; readonly isAnyThere: () => Promise<boolean> },
): Promise<ServiceLogEnd> => {
  let seen = before;
  let from: AllStreamPosition = 'end';
  let end: Position | undefined;
  for (let size = MIN_PAGE; ; size = Math.min(MAX_PAGE, size * 2)) {
    if (size === NOT_NEAR && !(await isAnyThere())) return { ...seen, end: end ?? seen.end };
    const page = await pageBefore(client, from, size);
    const [latest] = page;
    if (end === undefined) {
      end = latest ? toPosition(latest.position) : START_POSITION;
      // Shorter than before: the server was restored from a backup.
      if (end < seen.end) seen = UNSEEN_SERVICE_LOG_END;
    }
    const wanted = page.find(({ streamId }) => isWanted(streamId));
    if (wanted) return { newest: toEventPointer(wanted), end };
    const last = page.at(-1);
    if (!last || toPosition(last.position) <= seen.end) return { newest: seen.newest, end };
    from = last.position;
  }
};

/** Ends a subscription, unless it was never established: then there is nothing to end. */
export const endSubscription = (subscription: AllStreamSubscription): Promise<void> =>
  subscription.unsubscribe().catch(() => undefined);

/** The stored events of streams whose names begin with a text, in the event log's order. */
export async function* readEventsByPrefix(
  client: EventStoreDBClient,
  start: string,
): AsyncGenerator<RecordedEvent, void, undefined> {
  const subscription = client.subscribeToAll({
    ...LEADER_OPTIONS,
    fromPosition: 'start',
    filter: { filterOn: 'streamName', prefixes: [start], maxSearchWindow: SEARCH_WINDOW, checkpointInterval: 1_000 },
  });
  // Comes in order, after the stored events.
  subscription.on('caughtUp', () => subscription.push('caught up'));
  try {
    for await (const item of subscription as AsyncIterable<AllStreamResolvedEvent | 'caught up'>) {
      if (item === 'caught up') return;
      if (item.event) yield item.event;
    }
  } finally {
    await endSubscription(subscription);
  }
}
