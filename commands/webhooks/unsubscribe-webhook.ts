import { internalKeyAccess } from '../../src/access/access.ts';
import { defineCommand, noContent } from '../../src/application/command.ts';
import { requireWebhooks, requireSubscription, webhooksDecider } from '../../src/streams/webhooks.ts';
import { Identifier, object } from '../../src/schema/schema.ts';

/** Deletes a subscription, with its deliveries. */
export const unsubscribeWebhook = defineCommand(webhooksDecider)({
  name: 'unsubscribeWebhook',
  summary: 'Delete a webhook',
  method: 'DELETE',
  path: '/internal/webhooks/:id',
  access: internalKeyAccess,
  params: object({ id: Identifier }),
  body: object({}),
  prepare({ principal: keyName, params: { id } }, { ports }) {
    requireWebhooks(ports);
    return { id: keyName, webhookId: id };
  },
  decide(state, { id: keyName, webhookId }) {
    requireSubscription(state, webhookId);
    return [{ type: 'WebhookUnsubscribed', data: { keyName, webhookId } }];
  },
  ...noContent,
  refusals: ['not-found'],
});
