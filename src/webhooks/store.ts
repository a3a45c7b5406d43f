import { START_POSITION, type EventPointer, type Position } from '../event-store/port.ts';
import {
  defineCollection,
  NotBuiltError,
  type Checkpoint,
  type Collection,
  type ProjectionIdentity,
  type DocumentWrite,
} from '../read-models/port.ts';
import type { PostOutcome } from './post-to-receiver.ts';

/** How far the deliveries of a subscription have come. */
export interface DeliveryCursor {
  /** The API key that the subscription belongs to. */
  readonly keyName: string;
  /** The first event of the event log, and the last one that was seen; null before any was. */
  readonly first: EventPointer | null;
  readonly last: EventPointer | null;
  /** How many of its replays were begun. */
  readonly replays: number;
  /** The number of the next try in the list of deliveries. */
  readonly nextTry: number;
  /** The oldest try that is kept. */
  readonly oldestTry: number;
  /** Why nothing is sent until a replay is asked for. */
  readonly stopped: string | null;
}

/** An entity whose event could not be delivered, which waits with its later events. */
export interface WaitingEntity {
  readonly webhookId: string;
  readonly entity: string;
  /** Of the event that comes next. */
  readonly revision: number;
  readonly position: Position;
  readonly failures: number;
  /** RFC 3339: when the event was first to be delivered, when it is tried again, and when that was given up. */
  readonly since: string;
  readonly nextAt: string;
  readonly parkedAt: string | null;
  /** 1 once parked: a column that can be counted by. */
  readonly isParked: number;
}

/** One try to deliver an event. */
export interface DeliveryAttempt extends PostOutcome {
  readonly webhookId: string;
  readonly number: number;
  readonly at: string;
  readonly eventId: string;
  readonly type: string;
  readonly entity: string;
  readonly revision: number;
  readonly position: Position;
  readonly isDelivered: boolean;
}

export const cursorsCollection = defineCollection<DeliveryCursor>({
  name: 'webhook_cursors',
  partition: 'id',
  indexes: [],
});
export const waitingEntitiesCollection = defineCollection<WaitingEntity>({
  name: 'webhook_waiting',
  partition: 'webhookId',
  indexes: [['webhookId', 'isParked']],
});
export const attemptsCollection = defineCollection<DeliveryAttempt>({
  name: 'webhook_tries',
  partition: 'webhookId',
  indexes: [['webhookId', 'number']],
});

/** What deliveries keep, under the name of their lease. */
export const deliveriesIdentity: ProjectionIdentity = {
  name: 'webhook-deliveries',
  version: 1,
  collections: [cursorsCollection, waitingEntitiesCollection, attemptsCollection],
};

const NUMBER_DIGITS = 16;
export const attemptIdOf = (webhookId: string, number: number): string =>
  `${webhookId}|${String(number).padStart(NUMBER_DIGITS, '0')}`;
export const waitingEntityIdOf = (webhookId: string, entity: string): string => `${webhookId}|${entity}`;

/** The checkpoint of the deliveries as a whole: each subscription has a cursor of its own. */
export const toDeliveriesCheckpoint = (first: EventPointer | null, last: EventPointer | null): Checkpoint => ({
  first,
  position: last?.position ?? START_POSITION,
  last,
  passed: null,
  building: null,
  parked: [],
  isBuilt: true,
  isBetween: false,
});

/** Removes what is kept of a subscription in one of the collections with many documents of it. */
export const removalWrite = (collection: Collection, id: string, webhookId: string): DocumentWrite => ({
  collection,
  id,
  doc: null,
  partition: webhookId,
});

/** Writes that remove all that is kept of a subscription. */
export const subscriptionRemovalWrites = (
  webhookId: string,
  waiting: readonly { readonly id: string }[],
  deliveries: readonly { readonly id: string }[],
): DocumentWrite[] => [
  ...waiting.map(({ id }) => removalWrite(waitingEntitiesCollection, id, webhookId)),
  ...deliveries.map(({ id }) => removalWrite(attemptsCollection, id, webhookId)),
  { collection: cursorsCollection, id: webhookId, doc: null },
];

/** What is read, or `nothing` where nothing was stored yet. */
export const orIfNotBuilt = async <T>(read: () => Promise<T>, nothing: T): Promise<T> => {
  try {
    return await read();
  } catch (error) {
    if (error instanceof NotBuiltError) return nothing;
    throw error;
  }
};
