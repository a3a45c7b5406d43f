import { Type } from '../../src/schema/typebox.ts';
import { internalKeyAccess } from '../../src/access/access.ts';
import { defineCommand } from '../../src/application/command.ts';
import {
  SECRET_OVERLAP_HOURS,
  requireWebhooks,
  requireSubscription,
  webhooksDecider,
} from '../../src/streams/webhooks.ts';
import { hoursAfter } from '../../src/lib/hours-after.ts';
import { Identifier, object, Timestamp } from '../../src/schema/schema.ts';

/** Replaces the signing secret; the one before signs as well for a day, and no older one. */
export const rotateWebhookSecret = defineCommand(webhooksDecider)({
  name: 'rotateWebhookSecret',
  summary: 'Replace the signing secret of a webhook',
  method: 'POST',
  path: '/internal/webhooks/:id/rotate',
  access: internalKeyAccess,
  params: object({ id: Identifier }),
  body: object({}),
  prepare({ principal: keyName, params: { id } }, { ports, now }) {
    requireWebhooks(ports);
    return { id: keyName, webhookId: id, now };
  },
  decide(state, { id: keyName, webhookId }) {
    const generation = requireSubscription(state, webhookId).generation + 1;
    return [{ type: 'WebhookSecretRotated', data: { keyName, webhookId, generation } }];
  },
  outcome: (state, { webhookId, now }) => ({
    id: webhookId,
    generation: requireSubscription(state, webhookId).generation,
    previousSecretValidUntil: hoursAfter(now, SECRET_OVERLAP_HOURS),
  }),
  responses: {
    200: object(
      {
        id: Identifier,
        secret: Type.String({ description: 'The new signing secret, in the form of Standard Webhooks.' }),
        previousSecretValidUntil: Timestamp,
      },
      { title: 'RotatedWebhook' },
    ),
  },
  refusals: ['not-found'],
  respond: ({ id, generation, previousSecretValidUntil }, ports) => ({
    status: 200,
    body: { id, secret: requireWebhooks(ports).secrets.signingSecret(id, generation), previousSecretValidUntil },
  }),
});
