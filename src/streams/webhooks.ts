import { Type, type Static } from '../schema/typebox.ts';
import { defineEvent } from './events.ts';
import type { Decider } from './decider.ts';
import { forbidden, notFound } from '../errors/domain-error.ts';
import { Identifier, list, nullable, text } from '../schema/schema.ts';

const ids = { keyName: Identifier, webhookId: Identifier };

/** A position of the event log, as Consistency-Token and deliveries have it. */
export const PositionText = Type.String({
  pattern: '^[0-9]{1,40}(?:/[0-9]{1,40})?$',
  says: 'must be a position of the event log',
  description: 'A position of the event log; `0` is before its first event.',
});

export const MAX_URL_LENGTH = 2_000;

/** The URL of a receiver without its query, which may hold a secret. */
export const ReceiverUrlWithoutQuery = text(MAX_URL_LENGTH, {
  minLength: 1,
  description: 'The URL of the receiver without its query.',
});

export const webhookEvents = [
  defineEvent('WebhookSubscribed', 'An application asked to be sent events of some types.', {
    ...ids,
    url: ReceiverUrlWithoutQuery,
    sealedQuery: nullable(text(8_000, { description: 'The query of the URL, encrypted; null where it has none.' })),
    types: list(text(100, { minLength: 1 })),
  }),
  defineEvent('WebhookSecretRotated', 'The signing secret of a subscription was replaced.', {
    ...ids,
    generation: Type.Integer({ minimum: 1 }),
  }),
  defineEvent('WebhookReplayRequested', 'Events after a position are to be sent again.', {
    ...ids,
    after: nullable(PositionText),
  }),
  defineEvent('WebhookPersonalDataSet', 'An administrator decided whether personal members are sent.', {
    ...ids,
    isIncluded: Type.Boolean(),
  }),
  defineEvent('WebhookUnsubscribed', 'A subscription was deleted.', ids),
] as const;

export interface WebhookSubscription {
  readonly url: string;
  readonly sealedQuery: string | null;
  readonly types: readonly string[];
  readonly createdAt: string;
  /** Of the signing secret; the first is 0. */
  readonly generation: number;
  readonly rotatedAt: string | null;
  readonly includesPersonalData: boolean;
  readonly replays: number;
  /** Of the last of them, after which position; null: of what waits or is parked alone. */
  readonly lastReplays: readonly (Static<typeof PositionText> | null)[];
}

/** Replays that can be asked for between two looks at subscriptions. */
const MAX_REPLAYS = 100;

/** By id. */
export type WebhooksState = ReadonlyMap<string, WebhookSubscription>;

const changed = (state: WebhooksState, id: string, change: Partial<WebhookSubscription>): WebhooksState => {
  const before = state.get(id);
  return before ? new Map(state).set(id, { ...before, ...change }) : state;
};

/** The subscriptions of an API key, by which the stream is named. */
export const webhooksDecider: Decider<WebhooksState, typeof webhookEvents> = {
  category: 'webhooks',
  events: webhookEvents,
  initialState: new Map(),
  sizeOf: ({ size }) => size,
  evolve(state, { type, data, metadata: { recordedAt } }) {
    const { webhookId: id } = data;
    switch (type) {
      case 'WebhookSubscribed':
        return new Map(state).set(id, {
          url: data.url,
          sealedQuery: data.sealedQuery,
          types: data.types,
          createdAt: recordedAt,
          generation: 0,
          rotatedAt: null,
          includesPersonalData: false,
          replays: 0,
          lastReplays: [],
        });
      case 'WebhookSecretRotated':
        return changed(state, id, { generation: data.generation, rotatedAt: recordedAt });
      case 'WebhookReplayRequested':
        return changed(state, id, {
          replays: (state.get(id)?.replays ?? 0) + 1,
          lastReplays: [...(state.get(id)?.lastReplays ?? []), data.after].slice(-MAX_REPLAYS),
        });
      case 'WebhookPersonalDataSet':
        return changed(state, id, { includesPersonalData: data.isIncluded });
      case 'WebhookUnsubscribed':
        return new Map([...state].filter(([each]) => each !== id));
    }
  },
};

/** How long the signing secret before the last rotation signs as well. */
export const SECRET_OVERLAP_HOURS = 24;

/** @throws DomainError forbidden where no WEBHOOK_SECRET is configured */
export const requireWebhooks = <T>({ webhooks }: { readonly webhooks?: T | undefined }): T => {
  if (!webhooks) throw forbidden('Webhooks are not enabled: the service has no WEBHOOK_SECRET');
  return webhooks;
};

/** @throws DomainError not-found where the API key has no such subscription */
export const requireSubscription = (state: WebhooksState, webhookId: string): WebhookSubscription => {
  const found = state.get(webhookId);
  if (!found) throw notFound('No webhook of the API key has the id in path/id');
  return found;
};
