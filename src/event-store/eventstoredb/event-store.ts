import { setTimeout as delay } from 'node:timers/promises';
import { EventStoreDBClient } from '@eventstore/db-client';
import { fromClientEvent, toClientPosition, toEventPointer, toClientEvents, toPosition } from './client-events.ts';
import { followLog, type FollowOptions, type FollowedBatch } from './follow.ts';
import { LEADER_OPTIONS } from './leader.ts';
import { readStreamEvents, findServiceLogEnd, UNSEEN_SERVICE_LOG_END } from './reads.ts';
import { readFirstRecordFrom, recordAt, requireRecordAt } from './records.ts';
import { createIdempotencyStore } from './idempotency.ts';
import { isClientErrorOfType, retryWithCircuitBreaker } from './retry.ts';
import { disableGrpcCompression } from './grpc-compression.ts';
import { sortIntoGroups } from './sorted-groups.ts';
import { backoffMs } from '../../lib/backoff.ts';
import { forEachInParallel } from '../../lib/for-each-in-parallel.ts';
import { createNextRunCoalescer } from '../../lib/next-run-coalescer.ts';
import {
  CannotResumeError,
  NO_STREAM,
  START_POSITION,
  type AppendRequest,
  type AppendResult,
  type EventStore,
  type EventPointer,
  type Position,
  type RecordedEvent,
  type SubscribeOptions,
} from '../port.ts';

interface EventStoreDbOptions {
  /** The client's connection string, `esdb://…` or `esdb+discover://…`. */
  readonly url: string;
  /** Prefix of this service's streams, so that several services can share a server; may be empty. */
  readonly prefix: string;
  readonly categories: readonly string[];
  /** Called when a subscription was dropped; it resumes by itself. */
  readonly onDropped?: ((error: unknown) => void) | undefined;
  /** How long the server keeps a key's stream; by default an hour longer than a record counts. */
  readonly keyMaxAgeSeconds?: number | undefined;
}

const MIN_PAUSE_MS = 5;
const MAX_PAUSE_MS = 5_000;
/** The server may have to look through all events of other services. */
const READ_ALL_MS = 600_000;
/** A lag is counted up to this many events, and for less time than whoever asks waits. */
const MAX_COUNTED = 10_000;
const COUNTED_MS = 1_000;
const COUNT_BATCH = 500;
/** Streams that are read side by side: each takes a round trip. */
const READS_AT_ONCE = 16;

/** A commit position is an offset in the server's files. */
const bytesBefore = (position: Position): number => {
  const place = toClientPosition(position);
  return place === 'start' ? 0 : Number(place.commit);
};

/** The event store in EventStoreDB. Open one per thread: several clients in a thread get in each other's way. */
export const openEventStoreDb = (options: EventStoreDbOptions): EventStore => {
  const { prefix, categories, onDropped = () => undefined } = options;
  disableGrpcCompression();
  const client = EventStoreDBClient.connectionString(options.url);
  const streams = categories.map((category) => `${prefix}${category}-`);
  const isOurs = (name: string) => streams.some((start) => name.startsWith(start));
  /** No event of this service up to here: events of other services are looked through only once. */
  let nothingUpTo: EventPointer | undefined;
  /** As of the last look at the end of the event log. */
  let seen = UNSEEN_SERVICE_LOG_END;
  /** To be called when the event log turns out to be another one. */
  const forget = (): void => {
    nothingUpTo = undefined;
    seen = UNSEEN_SERVICE_LOG_END;
  };

  /** @param after undefined for the start of the event log */
  async function* followed(after: EventPointer | undefined, options: FollowOptions) {
    const follows = (from: EventPointer | undefined): AsyncGenerator<FollowedBatch, void, undefined> =>
      followLog(client, { prefix, streams, isOurs }, from, options);
    if (!after && nothingUpTo)
      try {
        yield* follows(nothingUpTo);
        return;
      } catch (error) {
        // No batch has been yielded yet.
        if (!(error instanceof CannotResumeError)) throw error;
        nothingUpTo = undefined;
      }
    yield* follows(after);
  }

  const appendEvents = async ({ stream, expectedRevision, events }: AppendRequest): Promise<AppendResult> => {
    const data = toClientEvents(events);
    const expected = expectedRevision === NO_STREAM ? 'no_stream' : BigInt(expectedRevision);
    try {
      const { position } = await retryWithCircuitBreaker(client, () =>
        client.appendToStream(prefix + stream, data, { ...LEADER_OPTIONS, expectedRevision: expected }),
      );
      if (!position) throw new Error('EventStoreDB has acknowledged an append without a position');
      return { kind: 'appended', position: toPosition(position) };
    } catch (error) {
      if (isClientErrorOfType(error, 'wrong-expected-version')) return { kind: 'wrong-revision' };
      throw error;
    }
  };
  const idempotency = createIdempotencyStore(client, prefix, {
    appendEvents,
    keyMaxAgeSeconds: options.keyMaxAgeSeconds,
  });

  // Many commands may read one stream at once: a posting that many candidates save.
  const shareRead = createNextRunCoalescer<readonly RecordedEvent[]>();
  const readStream = (stream: string, fromRevision = 0): Promise<readonly RecordedEvent[]> =>
    shareRead(`${fromRevision} ${stream}`, async () => {
      const events = await readStreamEvents(client, prefix + stream, { fromRevision: BigInt(fromRevision) });
      return events.map((event) => fromClientEvent(event, prefix));
    });

  const readStreams = async (names: readonly string[]) => {
    const found: RecordedEvent[] = [];
    await forEachInParallel([...new Set(names)], READS_AT_ONCE, async (name) => {
      found.push(...(await readStream(name)));
    });
    return found;
  };

  const readAfter = async (after: EventPointer | undefined, limit: number): Promise<readonly RecordedEvent[]> => {
    const { signal } = new AbortController();
    for await (const { events, end } of followed(after, { batchSize: limit, signal })) {
      if (!after && events.length === 0) nothingUpTo = end;
      return events;
    }
    return [];
  };

  /** At most `limit` events after a position, even where the record at the position is gone. */
  const readAll = (after: Position, limit: number): Promise<RecordedEvent[]> =>
    retryWithCircuitBreaker(
      client,
      async () => {
        if (after === START_POSITION) return [...(await readAfter(undefined, limit))];
        const first = await readFirstRecordFrom(client, after);
        if (!first) return [];
        const from = toEventPointer(first);
        const isNew = from.position !== after && isOurs(first.streamId);
        const before = isNew ? [fromClientEvent(first, prefix)] : [];
        return before.length === limit ? before : [...before, ...(await readAfter(from, limit - before.length))];
      },
      READ_ALL_MS,
    );

  /** The last event of this service. */
  const newest = async (): Promise<EventPointer | undefined> => {
    const before = seen;
    const isAnyThere = async () => before.newest !== undefined || (await readAll(START_POSITION, 1)).length > 0;
    const found = await findServiceLogEnd(client, isOurs, { before, isAnyThere });
    // A concurrent call may have looked further meanwhile.
    if (seen === before || found.end > seen.end) seen = found;
    return seen.newest;
  };

  async function* subscribe(after: Position, { batchSize, signal, types }: SubscribeOptions) {
    let position = after;
    let id: string | undefined;
    let last: EventPointer | undefined;
    let failures = 0;
    let isEndYielded = true;
    while (!signal.aborted) {
      try {
        let from = position === START_POSITION ? undefined : await requireRecordAt(client, position, id);
        const end = types && (await newest());
        // First up to the end, filtered by type at the server; from there on, all events as they come.
        for (const untilNow of end && end.position > position ? [{ newest: end }, undefined] : [undefined]) {
          for await (const batch of followed(from, { batchSize, signal, types, untilNow })) {
            failures = 0;
            last = batch.last ?? last;
            from = batch.end;
            const reached = from?.position ?? START_POSITION;
            if (reached === position && (isEndYielded || !batch.isLast)) continue;
            [position, id] = [reached, from?.id];
            isEndYielded = batch.isLast;
            yield { events: batch.events, position, isLast: batch.isLast, ...(last && { last }) };
          }
        }
      } catch (error) {
        if (error instanceof CannotResumeError) {
          forget();
          throw error;
        }
        onDropped(error);
        const pause = backoffMs(failures++, MIN_PAUSE_MS, MAX_PAUSE_MS);
        await delay(pause, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  return {
    ...idempotency,
    async appendInOrder(appends) {
      // The server promises no order of appends that are under way at once, least of all where one is tried again.
      for (const append of appends) if ((await appendEvents(append)).kind !== 'appended') return append.stream;
      return undefined;
    },
    readStream,
    readStreams,
    readAll,
    subscribe,
    readGroups: (read, signal) => sortIntoGroups(subscribe(START_POSITION, { ...read, signal }), read, signal),
    head: async () => (await newest())?.position ?? START_POSITION,
    async recordAt(position) {
      const record = await recordAt(client, position);
      if (!record) return undefined;
      const { id, streamId, revision } = record;
      const stream = isOurs(streamId) ? streamId.slice(prefix.length) : null;
      return { id, stream, revision: Number(revision) };
    },
    countOf: (types, upTo) =>
      retryWithCircuitBreaker(
        client,
        async () => {
          const { signal } = new AbortController();
          const options = { batchSize: COUNT_BATCH, signal, types, untilNow: {} };
          let count = 0;
          for await (const { events } of followed(undefined, options))
            count += events.filter(({ position }) => position <= upTo).length;
          return count;
        },
        READ_ALL_MS,
      ),
    shareOf: (position, upTo) => Math.min(1, bytesBefore(position) / Math.max(1, bytesBefore(upTo))),
    async countAfter(position) {
      const end = performance.now() + COUNTED_MS;
      let [count, after] = [0, position];
      for (;;) {
        const events = await readAll(after, COUNT_BATCH);
        count += events.length;
        after = events.at(-1)?.position ?? after;
        if (events.length < COUNT_BATCH || count >= MAX_COUNTED || performance.now() >= end) return count;
      }
    },
    close: () => client.dispose(),
  };
};
