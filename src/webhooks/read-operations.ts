import { internalKeyAccess } from '../access/access.ts';
import {
  ReceiverUrlWithoutQuery,
  requireWebhooks,
  requireSubscription,
  type WebhookSubscription,
} from '../streams/webhooks.ts';
import {
  defineAdminOperation,
  type AdminContext,
  type AdminOperation,
  type WebhookReadContext,
} from '../builds/admin-operation.ts';
import { Identifier, list, nullable, object, PageNumber, Timestamp } from '../schema/schema.ts';
import { Type } from '../schema/typebox.ts';
import {
  cursorsCollection,
  orIfNotBuilt,
  attemptsCollection,
  waitingEntitiesCollection,
  type DeliveryCursor,
} from './store.ts';
import { KEEP_ATTEMPTS_MS } from './subscription-sender.ts';

const Webhook = object(
  {
    id: Identifier,
    url: ReceiverUrlWithoutQuery,
    types: list(Type.String()),
    includesPersonalData: Type.Boolean(),
    createdAt: Timestamp,
    secretRotatedAt: nullable(Timestamp),
    position: nullable(
      Type.String({
        description: 'Events up to this position of the event log were sent, or wait; null before any was seen.',
      }),
    ),
    waiting: Type.Integer({ description: 'How many entities have events that are tried again.' }),
    parked: Type.Integer({
      description: 'How many entities have events that were given up after three days, until a replay.',
    }),
    stopped: nullable(Type.String({ description: 'Why nothing is sent until a replay; null while events are.' })),
  },
  { title: 'Webhook' },
);

const Delivery = object(
  {
    eventId: Type.String({ description: 'As in the header webhook-id.' }),
    type: Type.String(),
    entity: Type.String(),
    revision: Type.Integer(),
    position: Type.String(),
    at: Timestamp,
    isDelivered: Type.Boolean(),
    status: nullable(Type.Integer({ description: 'Of the answer; null where none came.' })),
    failure: nullable(Type.String({ description: 'Why no answer came, in one word; null where one did.' })),
    milliseconds: Type.Integer({ description: 'Until the answer came, or the failure.' }),
  },
  { title: 'Delivery' },
);

const PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 1_000;

const webhookOperationDefaults = {
  method: 'GET',
  access: internalKeyAccess,
  params: object({ id: Identifier }),
  body: object({}),
  status: 200,
} as const;

const find = async (keyName: string, id: string, context: AdminContext) =>
  requireSubscription(await requireWebhooks(context).subscriptionsOf(keyName), id);

const toResource = async (id: string, subscription: WebhookSubscription, { readModels }: WebhookReadContext) => {
  const countOf = (isParked: number) =>
    orIfNotBuilt(() => readModels.count(waitingEntitiesCollection, { webhookId: id, isParked }), 0);
  const [stored, waiting, parked] = await Promise.all([
    orIfNotBuilt(() => readModels.get<DeliveryCursor>(cursorsCollection, id), undefined),
    countOf(0),
    countOf(1),
  ]);
  const { url, types, includesPersonalData, createdAt, rotatedAt } = subscription;
  return {
    id,
    url,
    types: [...types],
    includesPersonalData,
    createdAt,
    secretRotatedAt: rotatedAt,
    position: stored?.doc.last?.position ?? null,
    waiting,
    parked,
    stopped: stored?.doc.stopped ?? null,
  };
};

/** The operations that read webhooks. */
export const webhookReadOperations: readonly AdminOperation[] = [
  defineAdminOperation({
    name: 'listWebhooks',
    summary: 'List the webhooks of the API key',
    ...webhookOperationDefaults,
    path: '/internal/webhooks',
    params: object({}),
    response: object({ data: Type.Array(Webhook) }, { title: 'WebhookList' }),
    refusals: [],
    async act({ principal: keyName }, context) {
      const own = requireWebhooks(context);
      const all = [...(await own.subscriptionsOf(keyName))];
      return { data: await Promise.all(all.map(([id, each]) => toResource(id, each, own))) };
    },
  }),
  defineAdminOperation({
    name: 'getWebhook',
    summary: 'Read a webhook, and how far its deliveries have come',
    ...webhookOperationDefaults,
    path: '/internal/webhooks/:id',
    response: Webhook,
    refusals: ['not-found'],
    act: async ({ principal: keyName, params: { id } }, context) =>
      toResource(id, await find(keyName, id, context), requireWebhooks(context)),
  }),
  defineAdminOperation({
    name: 'listDeliveries',
    summary: 'List the last tries to deliver events of a webhook, the last one first',
    ...webhookOperationDefaults,
    path: '/internal/webhooks/:id/deliveries',
    parameters: object({
      page: Type.Optional(PageNumber),
      pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE, default: PAGE_SIZE })),
    }),
    response: object(
      { data: Type.Array(Delivery), page: Type.Integer(), pageSize: Type.Integer(), total: Type.Integer() },
      { title: 'DeliveryList' },
    ),
    refusals: ['not-found'],
    async act({ principal: keyName, params: { id }, parameters: { page = 1, pageSize = PAGE_SIZE } }, context) {
      await find(keyName, id, context);
      const { readModels, now } = requireWebhooks(context);
      const deliveries = await orIfNotBuilt(
        () => readModels.find(attemptsCollection, { filter: { webhookId: id }, order: [['number', 'descending']] }),
        [],
      );
      const oldest = new Date(now().getTime() - KEEP_ATTEMPTS_MS).toISOString();
      const all = deliveries.flatMap(({ doc: { webhookId: _webhook, number: _number, ...each } }) =>
        each.at >= oldest ? [each] : [],
      );
      const data = all.slice((page - 1) * pageSize, page * pageSize);
      return { data, page, pageSize, total: all.length };
    },
  }),
];
