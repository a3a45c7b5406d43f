import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { EventStoreDBClient } from '@eventstore/db-client';
import { fromClient, fromPosition, toClient, toPosition } from './eventstoredb-events.ts';
import { follow, type FollowOptions } from './eventstoredb-follow.ts';
import { endOfAll, eventsOf, findLogEnd, lastEvent, type LogEnd } from './eventstoredb-reads.ts';
import { createReceipts } from './eventstoredb-receipts.ts';
import { isOfType, pauseAfter, untilAnswered } from './eventstoredb-retry.ts';
import { createShared } from '../shared.ts';
import {
  NO_STREAM,
  START,
  type Append,
  type AppendResult,
  type EventStore,
  type Position,
  type RecordedEvent,
} from './port.ts';

export interface EventStoreDbOptions {
  /** The client's connection string, `esdb://…` or `esdb+discover://…`. */
  readonly url: string;
  /** Before the names of all our streams, so that several services can share a server; may be empty. */
  readonly prefix: string;
  /** The categories of our streams. */
  readonly categories: readonly string[];
  /** Told of each subscription that was dropped; it goes on by itself. */
  readonly onDropped?: ((error: unknown) => void) | undefined;
}

const LEAST_PAUSE_MS = 5;
const MOST_PAUSE_MS = 5_000;
/** The server may have to look through all that others have written. */
const READ_ALL_MS = 600_000;
/** A lag is counted no further than this. */
const MOST_COUNTED = 10_000;
const COUNT_BATCH = 500;

/** A position is a place in the server's files. */
const bytesBefore = (position: Position): number => {
  const place = fromPosition(position);
  return place === 'start' ? 0 : Number(place.commit);
};

/** The event store in EventStoreDB. One a thread: several clients of a thread get in each other's way. */
export const openEventStoreDb = (options: EventStoreDbOptions): EventStore => {
  const { prefix, categories, onDropped = () => undefined } = options;
  const client = EventStoreDBClient.connectionString(options.url);
  const streams = categories.map((category) => `${prefix}${category}-`);
  /** Up to here there is nothing of ours: what others have written is looked through once. */
  let nothingUpTo: Position = START;
  const followed = (after: Position, options: FollowOptions) =>
    follow(client, { prefix, streams }, after > nothingUpTo ? after : nothingUpTo, options);
  const isOurs = (name: string) => streams.some((start) => name.startsWith(start));

  const appendEvents = async ({ stream, expectedRevision, events }: Append): Promise<AppendResult> => {
    const data = toClient(events);
    const expected = expectedRevision === NO_STREAM ? 'no_stream' : BigInt(expectedRevision);
    try {
      const { position } = await untilAnswered(client, () =>
        client.appendToStream(prefix + stream, data, { expectedRevision: expected }),
      );
      if (!position) throw new Error('EventStoreDB has acknowledged an append without a position');
      return { kind: 'appended', position: toPosition(position) };
    } catch (error) {
      if (isOfType(error, 'wrong-expected-version')) return { kind: 'wrong-revision' };
      throw error;
    }
  };
  const receipts = createReceipts(client, prefix, appendEvents);

  // Many commands may want the same stream at once, a posting that everybody saves.
  const shareRead = createShared<readonly RecordedEvent[]>();
  const readStream = (stream: string, fromRevision = 0): Promise<readonly RecordedEvent[]> =>
    shareRead(`${fromRevision} ${stream}`, async () => {
      const events = await eventsOf(client, prefix + stream, { fromRevision: BigInt(fromRevision) });
      return events.map((event) => fromClient(event, prefix));
    });

  /** What there is after a position, up to a number. */
  const readAll = (after: Position, limit: number): Promise<RecordedEvent[]> =>
    untilAnswered(
      client,
      async () => {
        const { signal } = new AbortController();
        for await (const { events, position } of followed(after, { batchSize: limit, signal })) {
          if (events.length === 0 && after <= nothingUpTo) nothingUpTo = position;
          return [...events];
        }
        return [];
      },
      READ_ALL_MS,
    );

  /** As of the last look. */
  let seen: LogEnd = { newest: START, end: START };
  const head = async (): Promise<Position> => {
    const isAnyThere = async () => seen.newest !== START || (await readAll(START, 1)).length > 0;
    const found = await findLogEnd(client, isOurs, { seen, isAnyThere });
    // Others may have looked meanwhile.
    if (found.end > seen.end) seen = found;
    return seen.newest;
  };

  const appendWithReceipt = async (append: Append): Promise<AppendResult> => {
    const { stream, expectedRevision, events, receipt, decidedAt = START } = append;
    // Refused before anything is written.
    toClient(events);
    // A receipt without events needs the check that an append would make.
    if (events.length === 0) {
      const last = await lastEvent(client, prefix + stream);
      if (Number(last?.revision ?? NO_STREAM) !== expectedRevision) return { kind: 'wrong-revision' };
    }
    if (!receipt) return { kind: 'appended', position: decidedAt };
    if (!(await receipts.claim(receipt, append, decidedAt, randomUUID()))) return { kind: 'receipt-exists' };
    return events.length === 0 ? { kind: 'appended', position: decidedAt } : appendEvents(append);
  };

  return {
    append: (append) =>
      append.receipt || append.events.length === 0 ? appendWithReceipt(append) : appendEvents(append),
    readStream,
    readAll,
    async *subscribe(after, { batchSize, signal, types }) {
      let position = after;
      let failures = 0;
      let isEndTold = true;
      while (!signal.aborted) {
        try {
          const end = types ? await head() : START;
          for (const upTo of end > position ? [end, undefined] : [undefined])
            for await (const batch of followed(position, { batchSize, signal, types, upTo })) {
              failures = 0;
              if (batch.position === position && (isEndTold || !batch.isLast)) continue;
              position = batch.position;
              isEndTold = batch.isLast;
              yield batch;
            }
        } catch (error) {
          onDropped(error);
          const pause = pauseAfter(failures++, LEAST_PAUSE_MS, MOST_PAUSE_MS);
          await delay(pause, undefined, { signal }).catch(() => undefined);
        }
      }
    },
    head,
    countOf: (types, upTo) =>
      untilAnswered(
        client,
        async () => {
          const { signal } = new AbortController();
          const options = { batchSize: COUNT_BATCH, signal, types, upTo };
          let count = 0;
          for await (const { events } of followed(START, options))
            count += events.filter(({ position }) => position <= upTo).length;
          return count;
        },
        READ_ALL_MS,
      ),
    shareOf: (position, upTo) => Math.min(1, bytesBefore(position) / Math.max(1, bytesBefore(upTo))),
    holds: async (position) => position <= (await endOfAll(client)),
    countAfter: async (position) => (await readAll(position, MOST_COUNTED)).length,
    findReceipt: receipts.find,
    receipts: receipts.all,
    close: () => client.dispose(),
  };
};
