import type { EventStoreDBClient } from '@eventstore/db-client';
import { forEachInParallel } from '../../lib/for-each-in-parallel.ts';
import type { JsonObject } from '../../schema/json.ts';
import { toPosition } from './client-events.ts';
import { parseIntent, IDEMPOTENCY_KEY_EVENT_TYPES, type AppendIntent } from './key-stream.ts';
import { readStreamEvents, readEventsByPrefix } from './reads.ts';
import type { AppendRequest, AppendResult, Position, IdempotencyRecord } from '../port.ts';

/** What has come of an intent; a lost one can never be stored. */
type IntentOutcome = 'pending' | 'lost' | { readonly position: Position };

/** Appends events without an idempotency record. */
export type AppendEvents = (append: AppendRequest) => Promise<AppendResult>;

const MAX_AT_ONCE = 64;

/** @param position of the stored append */
export const toIdempotencyRecord = (
  key: string,
  { fingerprint, result, expiresAt }: AppendIntent,
  position: Position,
): IdempotencyRecord => ({ key, fingerprint, result: result as JsonObject, position, expiresAt });

/**
 * Only the stream that an intent appends to tells what came of it. Where another event stands in its place the intent
 * is lost, since no request decides on a revision that a stream has not reached.
 */
export const createIntentResolver = (client: EventStoreDBClient, prefix: string, appendEvents: AppendEvents) => {
  const outcomeOf = async ({ stream, expectedRevision, events, position }: AppendIntent): Promise<IntentOutcome> => {
    const last = events.at(-1);
    if (!last) return { position };
    const part = { fromRevision: BigInt(expectedRevision + 1), maxCount: events.length };
    const there = (await readStreamEvents(client, prefix + stream, part)).at(-1);
    if (!there) return 'pending';
    return there.id === last.id && there.position ? { position: toPosition(there.position) } : 'lost';
  };

  return {
    outcomeOf,

    /**
     * Carries out an intent: with the same event ids at the same revision it is stored once. Call `outcomeOf` first: of
     * two instances that append at once, the server leaves one unanswered for two seconds or more.
     */
    async settle(intent: AppendIntent): Promise<Exclude<IntentOutcome, 'pending'>> {
      const { stream, expectedRevision, events } = intent;
      const done = await appendEvents({ stream, expectedRevision, events });
      return done.kind === 'appended' ? { position: done.position } : 'lost';
    },

    /** The stored records that have not expired. Carries out no intent. */
    async idempotencyRecords(now: string, streams: string): Promise<readonly IdempotencyRecord[]> {
      const newest = new Map<string, AppendIntent>();
      for await (const event of readEventsByPrefix(client, streams))
        if (event.type === IDEMPOTENCY_KEY_EVENT_TYPES.intended)
          newest.set(event.streamId.slice(streams.length), parseIntent(event));
      const unexpired = [...newest].filter(([, { expiresAt }]) => expiresAt > now);
      const found: IdempotencyRecord[] = [];
      await forEachInParallel(unexpired, MAX_AT_ONCE, async ([key, intent]) => {
        const outcome = await outcomeOf(intent);
        if (typeof outcome === 'object') found.push(toIdempotencyRecord(key, intent, outcome.position));
      });
      return found;
    },
  };
};
