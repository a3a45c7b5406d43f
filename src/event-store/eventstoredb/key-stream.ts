import type { RecordedEvent } from '@eventstore/db-client';
import { Type, type Static } from '../../schema/typebox.ts';
import { createValidator } from '../../schema/validation.ts';

/**
 * The events in a key's stream. It never ends with an intent, which holds personal data: a scavenge keeps the last
 * event of a stream however old it is.
 */
export const IDEMPOTENCY_KEY_EVENT_TYPES = {
  /** One request holds the key, by a claim with the event's id. */
  claimed: 'KeyClaimed',
  /** The request with the claim before it has stored nothing. */
  released: 'KeyReleased',
  /** A whole append, written before it is carried out. */
  intended: 'AppendIntended',
  /** Stored together with the intent before it. Has the claim of the request, if any. */
  used: 'KeyUsed',
} as const;

const AppendIntent = Type.Object({
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
  /** The position of a record without events. */
  position: Type.String(),
});
export type AppendIntent = Static<typeof AppendIntent>;

const checkIntent = createValidator(AppendIntent, 'intent');
const checkUsed = createValidator(Type.Object({ claim: Type.Optional(Type.String()) }), 'use');

export type KeyStreamState =
  /** No claim or intent there still counts. */
  | { readonly kind: 'free' }
  | { readonly kind: 'claimed'; readonly claim: string }
  | {
      readonly kind: 'used';
      readonly intent: AppendIntent;
      readonly intentId: string;
      readonly claim: string | undefined;
    };

const unreadableEventError = ({ streamId, revision }: RecordedEvent): Error =>
  new Error(`Event ${revision} of the stream ${streamId} in EventStoreDB cannot be read`);

/** @throws Error for an event that this service cannot have written */
export const parseIntent = (event: RecordedEvent): AppendIntent => {
  const checked = checkIntent(event.data);
  if (!checked.ok) throw unreadableEventError(event);
  return checked.value;
};

/**
 * How a key's stream ends, by its last two events, of which the last comes first.
 *
 * @throws Error for an event that this service cannot have written
 */
export const keyStreamStateOf = ([last, before]: readonly RecordedEvent[]): KeyStreamState => {
  if (!last) return { kind: 'free' };
  switch (last.type) {
    case IDEMPOTENCY_KEY_EVENT_TYPES.released:
      return { kind: 'free' };
    case IDEMPOTENCY_KEY_EVENT_TYPES.claimed:
      return { kind: 'claimed', claim: last.id };
    case IDEMPOTENCY_KEY_EVENT_TYPES.used: {
      // The server has deleted the intent, which no longer counts.
      if (before?.type !== IDEMPOTENCY_KEY_EVENT_TYPES.intended) return { kind: 'free' };
      const used = checkUsed(last.data);
      if (!used.ok) throw unreadableEventError(last);
      return { kind: 'used', intent: parseIntent(before), intentId: before.id, claim: used.value.claim };
    }
    // As earlier versions of this service left it.
    case IDEMPOTENCY_KEY_EVENT_TYPES.intended:
      return { kind: 'used', intent: parseIntent(last), intentId: last.id, claim: undefined };
    default:
      throw unreadableEventError(last);
  }
};
