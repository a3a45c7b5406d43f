import { Type } from '../../src/schema/typebox.ts';
import { internalKeyAccess } from '../../src/access/access.ts';
import { defineCommand, noContent } from '../../src/application/command.ts';
import { PositionText, requireWebhooks, requireSubscription, webhooksDecider } from '../../src/streams/webhooks.ts';
import { Identifier, object } from '../../src/schema/schema.ts';

/** Has what is parked or stopped go on, and the events after a position sent again. */
export const replayWebhook = defineCommand(webhooksDecider)({
  name: 'replayWebhook',
  summary: 'Send events again, and go on where deliveries were given up',
  method: 'POST',
  path: '/internal/webhooks/:id/replay',
  access: internalKeyAccess,
  params: object({ id: Identifier }),
  body: object({
    after: Type.Optional({
      ...PositionText,
      description:
        'All events after this position are sent again; `0`: all of the event log. Left out: only what waits or is parked.',
    }),
  }),
  prepare({ principal: keyName, params: { id }, body: { after } }, { ports }) {
    requireWebhooks(ports);
    return { id: keyName, webhookId: id, after: after ?? null };
  },
  decide(state, { id: keyName, webhookId, after }) {
    requireSubscription(state, webhookId);
    return [{ type: 'WebhookReplayRequested', data: { keyName, webhookId, after } }];
  },
  ...noContent,
  refusals: ['not-found'],
});
