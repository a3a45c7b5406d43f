import type { AllStreamRecordedEvent, EventStoreDBClient, RecordedEvent } from '@eventstore/db-client';
import { fromPosition, toPosition } from './eventstoredb-events.ts';
import { isOfType, untilAnswered } from './eventstoredb-retry.ts';
import type { Position } from './port.ts';

/**
 * All of what is read. A read that is left before its end stays open in the client, and keeps it from closing.
 */
const collect = async <T>(read: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const each of read) all.push(each);
  return all;
};

/** The events of a stream; none for an unknown one. */
export const eventsOf = (
  client: EventStoreDBClient,
  stream: string,
  options: { readonly fromRevision: bigint } | { readonly direction: 'backwards'; readonly maxCount: number },
): Promise<RecordedEvent[]> =>
  untilAnswered(async () => {
    try {
      const from = 'direction' in options ? { fromRevision: 'end' as const } : {};
      return (await collect(client.readStream(stream, { ...options, ...from }))).flatMap(
        ({ event }) => event ?? [],
      );
    } catch (error) {
      if (isOfType(error, 'stream-not-found')) return [];
      throw error;
    }
  });

/** The last event of a stream. */
export const lastEvent = async (
  client: EventStoreDBClient,
  stream: string,
): Promise<RecordedEvent | undefined> =>
  (await eventsOf(client, stream, { direction: 'backwards', maxCount: 1 }))[0];

const PAGE = 20;

/**
 * The position of the last event whose stream is wanted, read from the end of the log.
 *
 * @param known a position of such an event, or the start: nothing before it is looked at
 */
export const lastPosition = (
  client: EventStoreDBClient,
  isWanted: (stream: string) => boolean,
  known: Position,
): Promise<Position> =>
  untilAnswered(async () => {
    let from: 'end' | ReturnType<typeof fromPosition> = 'end';
    for (;;) {
      const read = client.readAll({ direction: 'backwards', fromPosition: from, maxCount: PAGE });
      const page: AllStreamRecordedEvent[] = (await collect(read)).flatMap(({ event }) => event ?? []);
      const wanted = page.find(({ streamId }) => isWanted(streamId));
      if (wanted) return toPosition(wanted.position);
      const last = page.at(-1);
      if (!last || toPosition(last.position) <= known) return known;
      from = last.position;
    }
  });
