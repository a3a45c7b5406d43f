import type { RecordedEvent } from '@eventstore/db-client';
import { Type, type Static } from 'typebox';
import { checker } from '../../schema/validation.ts';

/**
 * What stands in the stream of an Idempotency-Key. It never ends with an intent, which holds personal data: a scavenge keeps
 * the last event of a stream however old it is.
 */
export const KEY_EVENTS = {
  /** One request holds the key; its id is that of the claim. */
  claimed: 'KeyClaimed',
  /** The claim before it led to nothing. */
  released: 'KeyReleased',
  /** A whole append, written before it is done. */
  intended: 'AppendIntended',
  /** Stored together with the intent before it. Its claim is that of the request, if it had one. */
  used: 'KeyUsed',
} as const;

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
export type Intent = Static<typeof Intent>;

const checkIntent = checker(Intent, 'intent');
const checkUsed = checker(Type.Object({ claim: Type.Optional(Type.String()) }), 'use');

/** How the stream of a key ends. */
export type KeyEnd =
  /** Nothing is there that still counts. */
  | { readonly kind: 'free' }
  | { readonly kind: 'claimed'; readonly claim: string }
  | {
      readonly kind: 'used';
      readonly intent: Intent;
      readonly intentId: string;
      readonly claim: string | undefined;
    };

const unreadable = ({ streamId, revision }: RecordedEvent): Error =>
  new Error(`Event ${revision} of the stream ${streamId} in EventStoreDB cannot be read`);

/** @throws Error for what this service cannot have written */
export const intentOf = (event: RecordedEvent): Intent => {
  const checked = checkIntent(event.data);
  if (!checked.ok) throw unreadable(event);
  return checked.value;
};

/**
 * How a stream ends, by its last two events.
 *
 * @param events the last one first
 * @throws Error for what this service cannot have written
 */
export const endOf = ([last, before]: readonly RecordedEvent[]): KeyEnd => {
  if (!last) return { kind: 'free' };
  switch (last.type) {
    case KEY_EVENTS.released:
      return { kind: 'free' };
    case KEY_EVENTS.claimed:
      return { kind: 'claimed', claim: last.id };
    case KEY_EVENTS.used: {
      // The server has forgotten it: it was older than a receipt counts.
      if (before?.type !== KEY_EVENTS.intended) return { kind: 'free' };
      const used = checkUsed(last.data);
      if (!used.ok) throw unreadable(last);
      return { kind: 'used', intent: intentOf(before), intentId: before.id, claim: used.value.claim };
    }
    // As versions before this one left it.
    case KEY_EVENTS.intended:
      return { kind: 'used', intent: intentOf(last), intentId: last.id, claim: undefined };
    default:
      throw unreadable(last);
  }
};
