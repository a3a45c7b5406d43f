import type { EventStoreDBClient, JSONEventData, RecordedEvent } from '@eventstore/db-client';
import { Type, type Static } from 'typebox';
import { allSettled } from '../all-settled.ts';
import { inParallel } from '../in-parallel.ts';
import type { JsonObject } from '../json.ts';
import { checker } from '../validation.ts';
import { toPosition } from './eventstoredb-events.ts';
import { eventsOf, eventsOfStreams, lastEvent } from './eventstoredb-reads.ts';
import { isOfType, untilAnswered } from './eventstoredb-retry.ts';
import type { Append, AppendResult, NewReceipt, Position, Receipt } from './port.ts';

/**
 * Receipts on a store that appends to one stream at a time. Each key has a stream of its own, to which the whole append is
 * written before it is done. Whoever finds it there does it: with the same event ids and the same revision it lands once,
 * whoever comes first, and where others were faster it can never land: nobody decides on a revision that a stream has not
 * reached. So an intent and its append are one.
 */

const Intent = Type.Object({
  fingerprint: Type.String(),
  result: Type.Record(Type.String(), Type.Any()),
  expiresAt: Type.String(),
  stream: Type.String(),
  expectedRevision: Type.Integer(),
  events: Type.Array(
    Type.Object({
      id: Type.String(),
      type: Type.String(),
      version: Type.Integer(),
      data: Type.Record(Type.String(), Type.Any()),
      metadata: Type.Record(Type.String(), Type.Any()),
    }),
  ),
  /** Of a receipt without events. */
  position: Type.String(),
});
type Intent = Static<typeof Intent>;
const checkIntent = checker(Intent, 'receipt');

const toReceipt = (key: string, { fingerprint, result, expiresAt }: Intent, position: Position): Receipt => ({
  key,
  fingerprint,
  result: result as JsonObject,
  position,
  expiresAt,
});

const TYPE = 'AppendIntended';
/** Others may be a while behind our clock. */
const KEPT_LONGER_SECONDS = 3_600;

const MOST_ATTEMPTS = 20;
const MOST_AT_ONCE = 64;
type StreamEnd = bigint | 'no_stream';

/** Appends events without a receipt. */
export type AppendEvents = (append: Append) => Promise<AppendResult>;

export const createReceipts = (client: EventStoreDBClient, prefix: string, appendEvents: AppendEvents) => {
  const streamOf = (key: string) => `idempotency-${prefix}${key}`;

  const intentOf = ({ data, streamId }: RecordedEvent): Intent => {
    const checked = checkIntent(data);
    if (!checked.ok) throw new Error(`The receipt ${streamId} in EventStoreDB cannot be read`);
    return checked.value;
  };

  /** The newest intent under a key, with its revision. */
  const newest = async (key: string) => {
    const event = await lastEvent(client, streamOf(key));
    return event && { intent: intentOf(event), revision: event.revision };
  };

  /** Sees to it that what was intended is done; gives its position, or undefined when it can never be. */
  const settle = async ({
    stream,
    expectedRevision,
    events,
    position,
  }: Intent): Promise<Position | undefined> => {
    if (events.length === 0) return position;
    const done = await appendEvents({ stream, expectedRevision, events });
    return done.kind === 'appended' ? done.position : undefined;
  };

  /** What is kept under a key and has not expired at `now`. */
  const find = async (key: string, now: string): Promise<Receipt | undefined> => {
    const found = await newest(key);
    if (!found || found.intent.expiresAt <= now) return undefined;
    const position = await settle(found.intent);
    return position === undefined ? undefined : toReceipt(key, found.intent, position);
  };

  /** Where the append was done; undefined when it was not, or not yet. */
  const doneAt = async ({ stream, expectedRevision, events, position }: Intent) => {
    const last = events.at(-1);
    if (!last) return position;
    const fromRevision = BigInt(expectedRevision + events.length);
    const done = await eventsOf(client, prefix + stream, { fromRevision, maxCount: 1 });
    return done[0]?.id === last.id && done[0].position ? toPosition(done[0].position) : undefined;
  };

  /** All that have not expired at `now`. Nothing is written for it: an append that was not done has no receipt. */
  const all = async (now: string): Promise<readonly Receipt[]> => {
    const newest = new Map<string, Intent>();
    for await (const event of eventsOfStreams(client, streamOf('')))
      newest.set(event.streamId.slice(streamOf('').length), intentOf(event));
    const unexpired = [...newest].filter(([, { expiresAt }]) => expiresAt > now);
    const found: Receipt[] = [];
    await inParallel(unexpired, MOST_AT_ONCE, async ([key, intent]) => {
      const position = await doneAt(intent);
      if (position !== undefined) found.push(toReceipt(key, intent, position));
    });
    return found;
  };

  /** The server forgets the stream some time after its receipts have expired. */
  const limitAge = async (receipt: NewReceipt): Promise<undefined> => {
    const seconds = (Date.parse(receipt.expiresAt) - Date.parse(receipt.storedAt)) / 1_000;
    const maxAge = Math.ceil(seconds) + KEPT_LONGER_SECONDS;
    await untilAnswered(client, () => client.setStreamMetadata(streamOf(receipt.key), { maxAge }));
  };

  /** Writes an intent behind what the stream was seen to end with; gives where it ends instead when that is elsewhere. */
  const write = async (
    intent: Intent,
    key: string,
    id: string,
    after: StreamEnd,
  ): Promise<StreamEnd | undefined> => {
    const event: JSONEventData = {
      id,
      type: TYPE,
      contentType: 'application/json',
      data: intent,
      metadata: {},
    };
    try {
      await untilAnswered(client, () =>
        client.appendToStream(streamOf(key), event, { expectedRevision: after }),
      );
      return undefined;
    } catch (error) {
      if (!isOfType(error, 'wrong-expected-version')) throw error;
      const actual = error instanceof Error && 'actualVersion' in error ? error.actualVersion : undefined;
      return typeof actual === 'bigint' ? actual : 'no_stream';
    }
  };

  return {
    find,
    all,

    /**
     * Claims a key for an append that is about to be done; false when the key has a receipt.
     *
     * @param position of a receipt without events
     * @param id of the intent
     */
    async claim(receipt: NewReceipt, append: Append, position: Position, id: string): Promise<boolean> {
      const { key, fingerprint, result, expiresAt, storedAt } = receipt;
      const { stream, expectedRevision } = append;
      const events = [...append.events];
      const intent: Intent = { fingerprint, result, expiresAt, stream, expectedRevision, events, position };
      // Most keys are new: a read that says so would be for nothing.
      const writing = write(intent, key, id, 'no_stream');
      let [end] = await allSettled([writing, limitAge(receipt)]);
      for (let attempts = 1; end !== undefined; attempts++) {
        if (attempts >= MOST_ATTEMPTS) throw new Error('Others keep using the same Idempotency-Key');
        const before = await newest(key);
        if (before && before.intent.expiresAt > storedAt && (await settle(before.intent)) !== undefined)
          return false;
        // Where the server has forgotten the last one, the stream goes on where it ended.
        end = await write(intent, key, id, before?.revision ?? end);
      }
      return true;
    },
  };
};
