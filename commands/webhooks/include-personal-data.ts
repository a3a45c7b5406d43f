import { Type } from '../../src/schema/typebox.ts';
import { adminAccess } from '../../src/access/access.ts';
import { defineCommand, noContent, type DecideAndAppend } from '../../src/application/command.ts';
import { auditDecider, OPERATOR_ACTED, type ActPhase } from '../../src/streams/audit.ts';
import { requireWebhooks, requireSubscription, webhooksDecider } from '../../src/streams/webhooks.ts';
import { Identifier, object } from '../../src/schema/schema.ts';

interface PersonalDataAct {
  readonly day: string;
  readonly actId: string;
  readonly parameters: { readonly key: string; readonly webhook: string; readonly included: boolean };
}

const recordAct = (append: DecideAndAppend, act: PersonalDataAct, phase: ActPhase): Promise<null> =>
  append(
    auditDecider,
    act.day,
  )(() => [{ type: OPERATOR_ACTED, data: { ...act, operation: 'personal-data', phase, detail: null } }]);

/** Decides whether a subscription is sent personal members as well; recorded in the audit before it is done. */
export const includePersonalData = defineCommand(webhooksDecider)({
  name: 'includePersonalData',
  summary: 'Include personal members in what a webhook is sent, or leave them out again',
  method: 'POST',
  path: '/admin/webhooks/:key/:id/personal-data',
  access: adminAccess,
  params: object({ key: Identifier, id: Identifier }),
  body: object({ included: Type.Boolean() }),
  async prepare({ params: { key, id: webhookId }, body: { included } }, { ports, now, load, appenderFor }) {
    requireWebhooks(ports);
    const before = requireSubscription((await load(webhooksDecider, key)).state, webhookId);
    const parameters = { key, webhook: webhookId, included };
    const act =
      before.includesPersonalData === included
        ? undefined
        : { day: now.slice(0, 10), actId: ports.ids.uuid(), parameters };
    if (act) await recordAct(appenderFor(key), act, 'requested');
    return { id: key, webhookId, isIncluded: included, act };
  },
  decide(state, { id: keyName, webhookId, isIncluded }) {
    return requireSubscription(state, webhookId).includesPersonalData === isIncluded
      ? []
      : [{ type: 'WebhookPersonalDataSet', data: { keyName, webhookId, isIncluded } }];
  },
  ...noContent,
  refusals: ['not-found'],
  afterwards: async ({ act }, { append }) => act && recordAct(append, act, 'completed'),
});
