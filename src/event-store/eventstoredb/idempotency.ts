import { randomUUID } from 'node:crypto';
import type { EventStoreDBClient, JSONEventData, JSONType } from '@eventstore/db-client';
import { toClientEvents } from './client-events.ts';
import { createIntentResolver, toIdempotencyRecord, type AppendEvents } from './intent-resolver.ts';
import { keyStreamStateOf, IDEMPOTENCY_KEY_EVENT_TYPES, type AppendIntent, type KeyStreamState } from './key-stream.ts';
import { LEADER_OPTIONS } from './leader.ts';
import { readLastStreamEvents } from './reads.ts';
import { isClientErrorOfType, retryWithCircuitBreaker } from './retry.ts';
import {
  NO_STREAM,
  START_POSITION,
  type EventLog,
  type IdempotencyStore,
  type KeyClaim,
  type KeyedRequest,
  type KeyState,
} from '../port.ts';

/** The clocks of the instances may be behind the server's. */
const KEPT_LONGER_SECONDS = 3_600;
const MAX_ATTEMPTS = 20;

type StreamEnd = bigint | 'no_stream';
type KeyTaken = Exclude<KeyState, { kind: 'free' }>;

const toKeyEvent = (type: string, data: JSONType = {}): JSONEventData => ({
  id: randomUUID(),
  type,
  contentType: 'application/json',
  data,
  metadata: {},
});

/**
 * Idempotency records on a server that appends to one stream at a time. Each key has a stream of its own, to which the
 * whole append is written as an intent before it is carried out; see
 * docs/adr/0015-receipts-as-intents-on-eventstoredb.md.
 *
 * @param options.keyMaxAgeSeconds how long the server keeps a key's stream; by default an hour longer than a record
 *   counts
 */
export const createIdempotencyStore = (
  client: EventStoreDBClient,
  prefix: string,
  options: { readonly appendEvents: AppendEvents; readonly keyMaxAgeSeconds?: number | undefined },
): Pick<EventLog, 'append'> &
  Pick<IdempotencyStore, 'findIdempotencyRecord' | 'claimKey' | 'releaseKey' | 'idempotencyRecords'> => {
  const { appendEvents } = options;
  const streamOf = (key: string) => `idempotency-${prefix}${key}`;
  const intents = createIntentResolver(client, prefix, appendEvents);
  /** Where a key's stream ends, for claims made by this instance. */
  const places = new WeakMap<KeyClaim, StreamEnd>();

  const readEnd = async (key: string) => {
    const events = await readLastStreamEvents(client, streamOf(key), 2);
    return { end: keyStreamStateOf(events), revision: events[0]?.revision };
  };

  const stateOf = async (end: KeyStreamState, request: KeyedRequest, overdue?: string): Promise<KeyState> => {
    const heldBy = (by: string, left: 'request' | 'append'): KeyState =>
      by === overdue ? { kind: 'free' } : { kind: 'held', by, left };
    if (end.kind === 'free') return end;
    if (end.kind === 'claimed') return heldBy(end.claim, 'request');
    const { intent, intentId, claim } = end;
    if (intent.expiresAt <= request.storedAt) return { kind: 'free' };
    const isSame = intent.fingerprint === request.fingerprint;
    let outcome = await intents.outcomeOf(intent);
    if (outcome === 'pending') {
      if (intentId !== overdue) return { kind: 'held', by: intentId, left: 'append' };
      if (!isSame) return { kind: 'other-request' };
      outcome = await intents.settle(intent);
    }
    // The request that holds the claim decides again.
    if (outcome === 'lost') return claim === undefined ? { kind: 'free' } : heldBy(claim, 'request');
    return isSame
      ? { kind: 'found', idempotencyRecord: toIdempotencyRecord(request.key, intent, outcome.position) }
      : { kind: 'other-request' };
  };

  /** Appends to a key's stream if that ends at `after`; returns whether it did, and where it ends now. */
  const write = async (key: string, events: JSONEventData[], after: StreamEnd) => {
    try {
      await retryWithCircuitBreaker(client, () =>
        client.appendToStream(streamOf(key), events, { ...LEADER_OPTIONS, expectedRevision: after }),
      );
      const before = after === 'no_stream' ? -1n : after;
      return { isWritten: true, end: before + BigInt(events.length) } as const;
    } catch (error) {
      if (!isClientErrorOfType(error, 'wrong-expected-version')) throw error;
      const actual = error instanceof Error && 'actualVersion' in error ? error.actualVersion : undefined;
      return { isWritten: false, end: typeof actual === 'bigint' ? actual : 'no_stream' } as const;
    }
  };

  /** Has the server delete the stream some time after its record has expired. */
  const limitAge = ({ key, storedAt, expiresAt }: KeyedRequest): Promise<unknown> => {
    const seconds = (Date.parse(expiresAt) - Date.parse(storedAt)) / 1_000;
    const maxAge = options.keyMaxAgeSeconds ?? Math.ceil(seconds) + KEPT_LONGER_SECONDS;
    return retryWithCircuitBreaker(client, () => client.setStreamMetadata(streamOf(key), { maxAge }, LEADER_OPTIONS));
  };

  /** Appends to a key's stream if the key is free; returns its new end, or the key's state. */
  const writeIfFree = async (
    request: KeyedRequest,
    events: JSONEventData[],
    place: StreamEnd,
    overdue?: string,
  ): Promise<{ readonly end: bigint } | KeyTaken> => {
    const { key } = request;
    // First: if the process dies in between, no intent may be kept for ever.
    if (place === 'no_stream') await limitAge(request);
    // Most keys are new, so the stream is not read first.
    let written = await write(key, events, place);
    for (let attempts = 1; !written.isWritten; attempts++) {
      if (attempts === MAX_ATTEMPTS) throw new Error('The stream of an Idempotency-Key keeps changing');
      let { end, revision } = await readEnd(key);
      if (revision === undefined) {
        // The server refused because of a write that cannot be read yet. Once it answers another write, that one can.
        await limitAge(request);
        ({ end, revision } = await readEnd(key));
      }
      const state = await stateOf(end, request, overdue);
      if (state.kind !== 'free') return state;
      // Where the server has deleted all of it, the stream goes on where it ended.
      written = await write(key, events, revision ?? written.end);
    }
    return { end: written.end };
  };

  return {
    async append(append) {
      const { stream, expectedRevision, events, idempotencyRecord, lastSeen = START_POSITION } = append;
      if (!idempotencyRecord && events.length > 0) return appendEvents(append);
      // Throws before anything is written.
      toClientEvents(events);
      // Without events no append checks the expected revision.
      if (events.length === 0) {
        const [last] = await readLastStreamEvents(client, prefix + stream, 1);
        if (Number(last?.revision ?? NO_STREAM) !== expectedRevision) return { kind: 'wrong-revision' };
      }
      if (!idempotencyRecord) return { kind: 'appended', position: lastSeen };

      const { claim, fingerprint, result, expiresAt } = idempotencyRecord;
      const place = claim ? places.get(claim) : 'no_stream';
      if (place === undefined) return { kind: 'key-taken' };
      // From here on the stream ends elsewhere, or its end is not known.
      if (claim) places.delete(claim);
      const intent: AppendIntent = {
        fingerprint,
        result,
        expiresAt,
        stream,
        expectedRevision,
        events: [...events],
        position: lastSeen,
      };
      const used = toKeyEvent(IDEMPOTENCY_KEY_EVENT_TYPES.used, claim ? { claim: claim.id } : {});
      const written = await writeIfFree(
        idempotencyRecord,
        [toKeyEvent(IDEMPOTENCY_KEY_EVENT_TYPES.intended, intent), used],
        place,
      );
      if ('kind' in written) return { kind: 'key-taken' };
      if (events.length === 0) return { kind: 'appended', position: lastSeen };
      const done = await appendEvents(append);
      if (claim && done.kind === 'wrong-revision') places.set(claim, written.end);
      return done;
    },
    async findIdempotencyRecord(request, overdue) {
      return stateOf((await readEnd(request.key)).end, request, overdue);
    },
    async claimKey(request, overdue) {
      const claimed = toKeyEvent(IDEMPOTENCY_KEY_EVENT_TYPES.claimed);
      const written = await writeIfFree(request, [claimed], 'no_stream', overdue);
      if ('kind' in written) return written;
      const claim = { key: request.key, id: claimed.id };
      places.set(claim, written.end);
      return { kind: 'claimed', claim };
    },
    async releaseKey(claim) {
      const place = places.get(claim);
      places.delete(claim);
      // Without a place an intent may have been written; where the write is refused, another request has taken the
      // claim over.
      if (place !== undefined) await write(claim.key, [toKeyEvent(IDEMPOTENCY_KEY_EVENT_TYPES.released)], place);
    },
    idempotencyRecords: (now) => intents.idempotencyRecords(now, streamOf('')),
  };
};
