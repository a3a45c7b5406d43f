import { using } from '../../lib/using.ts';
import { openReadModels, webhookStoreOf, type ReadModelSettings } from '../../stores.ts';
import { cursors, orIfNew, waitingEntities } from '../../webhooks/store.ts';
import { bad, look, type Finding } from './finding.ts';

const HELP = 'POST /internal/webhooks/{id}/replay has it go on';

/** Webhooks that stand still until a replay, and entities whose events were given up. */
export const lookAtWebhooks = (settings: ReadModelSettings): Promise<readonly Finding[]> =>
  look('webhooks', () =>
    using(openReadModels(webhookStoreOf(settings)), async (reader) => {
      const [all, waiting] = await Promise.all([
        orIfNew(() => reader.find(cursors, { filter: {} }), []),
        orIfNew(() => reader.find(waitingEntities, { filter: { isParked: 1 } }), []),
      ]);
      return all.flatMap(({ id, doc: { keyName, stopped } }) => {
        const name = `the webhook ${id} of the API key ${keyName}`;
        if (stopped !== null) return [bad('webhooks', `${name} is sent nothing: ${stopped}`, HELP)];
        const parked = waiting.filter(({ doc }) => doc.webhookId === id).length;
        return parked === 0
          ? []
          : [bad('webhooks', `${name} could not be sent the events of ${parked} entities`, HELP)];
      });
    }),
  );
