import { setTimeout as delay } from 'node:timers/promises';
import type { Repository } from '../application/repository.ts';
import { streamOf } from '../streams/decider.ts';
import { SECRET_OVERLAP_HOURS, webhookEvents, webhooksDecider, type WebhookSubscription } from '../streams/webhooks.ts';
import { toLogIdentityReader } from '../event-store/identity.ts';
import type { EventLog, EventPointer } from '../event-store/port.ts';
import { backoffMs } from '../lib/backoff.ts';
import { hoursAfter } from '../lib/hours-after.ts';
import { createKeyedMutex } from '../lib/keyed-mutex.ts';
import type { WebhookCrypto } from '../ports/webhook-crypto.ts';
import { signatureOf } from '../ports/webhook-crypto.ts';
import type { ReadModelStore, DocumentWrite } from '../read-models/port.ts';
import { postToReceiver, type PostOutcome, type PostOptions } from './post-to-receiver.ts';
import {
  toDeliveriesCheckpoint,
  cursorsCollection,
  deliveriesIdentity,
  orIfNotBuilt,
  subscriptionRemovalWrites,
  attemptsCollection,
  attemptIdOf,
  waitingEntitiesCollection,
  type DeliveryCursor,
} from './store.ts';
import { BATCH_SIZE, DEFAULT_RETRY_POLICY, SubscriptionSender, type RetryPolicy } from './subscription-sender.ts';

/** How often subscriptions and the lease are looked at; a lease needs a heartbeat each second. */
const POLL_MS = 500;
const MAX_PAUSE_MS = 30_000;
/** How long a receiver has to answer. */
const TIMEOUT_MS = 15_000;

export interface WebhookDeliveryOptions {
  readonly eventStore: Pick<EventLog, 'subscribe' | 'readStream' | 'recordAt' | 'readAll' | 'head'>;
  readonly load: Repository['load'];
  readonly store: ReadModelStore;
  /** The names of the API keys whose subscriptions count. */
  readonly keyNames: readonly string[];
  readonly secrets: WebhookCrypto;
  readonly allowed: PostOptions['allowed'];
  /** Of subscriptions and what is kept. */
  readonly clock: () => Date;
  /** Of the machine: receivers compare it with their own. */
  readonly systemClock: () => Date;
  readonly retries?: RetryPolicy | undefined;
  readonly onTry: (webhookId: string, posted: PostOutcome, isDelivered: boolean) => void;
  readonly onError: (error: unknown) => void;
  readonly signal: AbortSignal;
}

interface KnownSubscription {
  readonly keyName: string;
  readonly subscription: WebhookSubscription;
}

interface Running {
  readonly subscriber: SubscriptionSender;
  /** The replays that had been asked for when it began. */
  readonly replays: number;
  readonly ended: Promise<void>;
  readonly stop: () => void;
}

/**
 * A process manager: delivers events to the receivers that subscribed to them. Only the instance that holds the lease
 * of the deliveries does; its commits are fenced as a projection's. After any failure it begins again from what is
 * stored.
 */
export const startWebhookDelivery = (options: WebhookDeliveryOptions) => {
  const { eventStore, load, store, keyNames, secrets, allowed, clock, systemClock, signal } = options;
  const { onTry, onError, retries = DEFAULT_RETRY_POLICY } = options;
  const running = new Map<string, Running>();
  const oneCommit = createKeyedMutex();
  let known: ReadonlyMap<string, KnownSubscription> = new Map();
  let isPrepared = false;
  /** The identity of the event log and the last event that any subscription has seen. */
  let seen: { readonly first: EventPointer | null; readonly last: EventPointer | null } = { first: null, last: null };

  const commit = (writes: readonly DocumentWrite[], last: EventPointer | null): Promise<void> =>
    oneCommit('', async () => {
      if (last && last.position > (seen.last?.position ?? '')) seen = { ...seen, last };
      await store.commit(deliveriesIdentity, writes, toDeliveriesCheckpoint(seen.first, seen.last));
    });

  const send = async (
    webhookId: string,
    { url, sealedQuery, generation, rotatedAt }: WebhookSubscription,
    { eventId, body, ended }: { readonly eventId: string; readonly body: string; readonly ended: AbortSignal },
  ): Promise<PostOutcome> => {
    let receiver: URL;
    try {
      receiver = new URL(url + (sealedQuery === null ? '' : secrets.open(webhookId, sealedQuery)));
    } catch {
      return { status: null, failure: 'SECRET_CHANGED', milliseconds: 0 };
    }
    const seconds = Math.floor(systemClock().getTime() / 1_000);
    const isTwice = rotatedAt !== null && clock().toISOString() < hoursAfter(rotatedAt, SECRET_OVERLAP_HOURS);
    const signatures = (isTwice ? [generation, generation - 1] : [generation]).map((each) =>
      signatureOf(secrets.signingSecret(webhookId, each), eventId, seconds, body),
    );
    const headers = {
      'Content-Type': 'application/json',
      'User-Agent': 'hiring-service-webhooks',
      'webhook-id': eventId,
      'webhook-timestamp': String(seconds),
      'webhook-signature': signatures.join(' '),
    };
    return postToReceiver(receiver, headers, body, { allowed, timeoutMs: TIMEOUT_MS, signal: ended });
  };

  /** Where a subscription began: its events are those after it. */
  const beginningOf = async (webhookId: string, keyName: string): Promise<EventPointer | null> => {
    const events = await eventStore.readStream(streamOf(webhooksDecider, keyName));
    const found = events.find(({ data }) => data['webhookId'] === webhookId);
    return found ? { position: found.position, id: found.id } : null;
  };

  const start = async (webhookId: string, { keyName, subscription }: KnownSubscription): Promise<void> => {
    const [stored, waiting] = await Promise.all([
      store.get(cursorsCollection, webhookId),
      store.find(waitingEntitiesCollection, { filter: { webhookId } }),
    ]);
    const cursor: DeliveryCursor = stored?.doc ?? {
      keyName,
      first: null,
      last: await beginningOf(webhookId, keyName),
      replays: 0,
      nextTry: 0,
      oldestTry: 0,
      stopped: null,
    };
    const stopping = new AbortController();
    const ended = AbortSignal.any([signal, stopping.signal]);
    const subscriber = new SubscriptionSender({
      webhookId,
      subscription,
      current: async () => (await load(webhooksDecider, keyName)).state.get(webhookId),
      cursor,
      waiting: waiting.map(({ doc }) => doc),
      eventStore,
      commit,
      tryAt: async (number) => (await store.get(attemptsCollection, attemptIdOf(webhookId, number)))?.doc,
      send: (current, eventId, body) => send(webhookId, current, { eventId, body, ended }),
      onTry,
      clock,
      retries,
      signal: ended,
    });
    const run = subscriber.run().catch((error: unknown) => {
      if (!ended.aborted) failed(error);
    });
    running.set(webhookId, {
      subscriber,
      replays: subscription.replays,
      stop: () => stopping.abort(),
      ended: run.finally(() => stopping.abort()),
    });
  };

  const end = async (webhookIds: readonly string[]): Promise<void> => {
    const some = webhookIds.flatMap((id) => running.get(id) ?? []);
    for (const each of some) each.stop();
    await Promise.all(some.map(({ ended }) => ended));
    for (const id of webhookIds) running.delete(id);
  };

  let failures = 0;
  let hasFailed = false;
  const failed = (error: unknown): void => {
    hasFailed = true;
    failures++;
    onError(error);
  };

  /** Subscriptions of all keys, by id. */
  const loadAll = async (): Promise<ReadonlyMap<string, KnownSubscription>> => {
    const all = new Map<string, KnownSubscription>();
    for (const keyName of keyNames)
      for (const [id, subscription] of (await load(webhooksDecider, keyName)).state)
        all.set(id, { keyName, subscription });
    return all;
  };

  /** Cursors of deleted subscriptions, but none of keys that are not configured now. */
  const cursorsOfDeleted = async () =>
    (await orIfNotBuilt(() => store.find(cursorsCollection, { filter: {} }), [])).filter(
      ({ id, doc }) => !known.has(id) && keyNames.includes(doc.keyName),
    );

  const removeDeleted = async (): Promise<void> => {
    for (const { id } of await cursorsOfDeleted()) {
      const [waiting, deliveries] = await Promise.all([
        store.find(waitingEntitiesCollection, { filter: { webhookId: id } }),
        store.find(attemptsCollection, { filter: { webhookId: id } }),
      ]);
      await commit(subscriptionRemovalWrites(id, waiting, deliveries), null);
    }
  };

  const hasLease = async (): Promise<boolean> => {
    if (!store.leases) return true;
    return (await store.leases.keep([deliveriesIdentity.name])).get(deliveriesIdentity.name)?.isHeld === true;
  };

  const prepare = async (): Promise<void> => {
    const checkpoint = await store.prepare(deliveriesIdentity);
    seen = { first: (await toLogIdentityReader(eventStore).first()) ?? null, last: checkpoint?.last ?? null };
    await commit([], null);
    await removeDeleted();
    isPrepared = true;
  };

  /** Begins and ends what has changed since the last look. */
  const look = async (): Promise<void> => {
    if (hasFailed) {
      await end([...running.keys()]);
      [isPrepared, hasFailed] = [false, false];
    }
    known = await loadAll();
    if (known.size === 0 && !isPrepared && (await cursorsOfDeleted()).length === 0) return;
    if (!(await hasLease())) {
      await end([...running.keys()]);
      isPrepared = false;
      return;
    }
    if (!isPrepared) await prepare();
    const gone = [...running.keys()].filter((id) => !known.has(id));
    await end(gone);
    if (gone.length > 0) await removeDeleted();
    if (known.size === 0) {
      isPrepared = false;
      await store.leases?.release();
      return;
    }
    for (const [id, each] of known) {
      if (running.get(id)?.replays === each.subscription.replays) continue;
      await end([id]);
      await start(id, each);
    }
  };

  /** Waits while there is no subscription. */
  const untilSubscribed = async (): Promise<void> => {
    const after = await eventStore.head();
    if ((await loadAll()).size > 0) return;
    const types = webhookEvents.map(({ type }) => type);
    for await (const { events } of eventStore.subscribe(after, { batchSize: BATCH_SIZE, types, signal }))
      if (events.length > 0) return;
  };

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      if (!hasFailed) failures = 0;
      await look().catch(failed);
      if (known.size === 0 && !hasFailed) await untilSubscribed().catch(failed);
      const pause = failures === 0 ? POLL_MS : backoffMs(failures - 1, POLL_MS, MAX_PAUSE_MS);
      await delay(pause, undefined, { signal }).catch(() => undefined);
    }
    await end([...running.keys()]);
    await store.leases?.release().catch(() => undefined);
  };

  return {
    /** Resolves once it has stopped, after the signal was aborted. */
    ended: run(),
    /** What is kept of all subscriptions that this process delivers. */
    figures() {
      const all = [...running.values()].map(({ subscriber }) => subscriber.figures());
      return {
        waiting: all.reduce((sum, { waiting }) => sum + waiting, 0),
        parked: all.reduce((sum, { parked }) => sum + parked, 0),
        stopped: all.filter(({ isStopped }) => isStopped).length,
      };
    },
  };
};
