import type { EventStoreDBClient } from '@eventstore/db-client';
import { inParallel } from '../../lib/in-parallel.ts';
import type { JsonObject } from '../../schema/json.ts';
import { toPosition } from './events.ts';
import { intentOf, KEY_EVENTS, type Intent } from './key-stream.ts';
import { eventsOf, eventsOfStreams } from './reads.ts';
import type { Append, AppendResult, Position, Receipt } from '../port.ts';

/** What has come of an intent; one that is lost can never be stored. */
export type Landing = 'pending' | 'lost' | { readonly position: Position };

/** Appends events without a receipt. */
export type AppendEvents = (append: Append) => Promise<AppendResult>;

const MAX_AT_ONCE = 64;

/** @param position where it is stored */
export const toReceipt = (
  key: string,
  { fingerprint, result, expiresAt }: Intent,
  position: Position,
): Receipt => ({
  key,
  fingerprint,
  result: result as JsonObject,
  position,
  expiresAt,
});

/**
 * What comes of intents: nothing but their streams says it. Where another event is in the place of the first, the intent is lost,
 * since no request decides on a revision that a stream has not reached.
 */
export const createIntents = (client: EventStoreDBClient, prefix: string, appendEvents: AppendEvents) => {
  const landingOf = async ({ stream, expectedRevision, events, position }: Intent): Promise<Landing> => {
    const last = events.at(-1);
    if (!last) return { position };
    const part = { fromRevision: BigInt(expectedRevision + 1), maxCount: events.length };
    const there = (await eventsOf(client, prefix + stream, part)).at(-1);
    if (!there) return 'pending';
    return there.id === last.id && there.position ? { position: toPosition(there.position) } : 'lost';
  };

  return {
    landingOf,

    /**
     * Does what was intended: with the same event ids at the same revision it is stored once. While another instance does it the
     * server leaves one of the two appends unanswered, for two seconds and more, so the look before is not for nothing.
     */
    async settle(intent: Intent): Promise<Exclude<Landing, 'pending'>> {
      const { stream, expectedRevision, events } = intent;
      const done = await appendEvents({ stream, expectedRevision, events });
      return done.kind === 'appended' ? { position: done.position } : 'lost';
    },

    /** What has been stored and has not expired at a time. Nothing is written for it. */
    async receipts(now: string, streams: string): Promise<readonly Receipt[]> {
      const newest = new Map<string, Intent>();
      for await (const event of eventsOfStreams(client, streams))
        if (event.type === KEY_EVENTS.intended)
          newest.set(event.streamId.slice(streams.length), intentOf(event));
      const unexpired = [...newest].filter(([, { expiresAt }]) => expiresAt > now);
      const found: Receipt[] = [];
      await inParallel(unexpired, MAX_AT_ONCE, async ([key, intent]) => {
        const landing = await landingOf(intent);
        if (typeof landing === 'object') found.push(toReceipt(key, intent, landing.position));
      });
      return found;
    },
  };
};
