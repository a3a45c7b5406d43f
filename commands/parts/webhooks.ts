import { forbidden, notFound } from '../../src/errors/domain-error.ts';
import type { WebhookSubscription, WebhooksState } from '../../src/domain/webhooks.ts';
import type { Ports } from '../../src/ports/index.ts';

/** @throws DomainError forbidden where no WEBHOOK_SECRET is configured */
export const requireWebhooks = ({ webhooks }: Pick<Ports, 'webhooks'>): NonNullable<Ports['webhooks']> => {
  if (!webhooks) throw forbidden('Webhooks are not enabled: the service has no WEBHOOK_SECRET');
  return webhooks;
};

/** @throws DomainError not-found where the API key has no such subscription */
export const subscriptionIn = (state: WebhooksState, webhookId: string): WebhookSubscription => {
  const found = state.get(webhookId);
  if (!found) throw notFound('No webhook of the API key has the id in path/id');
  return found;
};
