import { using } from '../../lib/using.ts';
import { openReadModels, webhookStoreOf, type ReadModelSettings } from '../../stores.ts';
import { cursorsCollection, orIfNew, waitingCollection } from '../../webhooks/store.ts';
import { bad, look, type Finding } from './finding.ts';

/** A receiver that restarts is away for less. */
const LATE_MS = 600_000;
const HELP = 'POST /internal/webhooks/{id}/replay has it go on';

/** Webhooks that stand still until a replay, and entities whose events were given up or wait for long. */
export const lookAtWebhooks = (settings: ReadModelSettings, now: Date): Promise<readonly Finding[]> =>
  look('webhooks', () =>
    using(openReadModels(webhookStoreOf(settings)), async (reader) => {
      const [all, waiting] = await Promise.all([
        orIfNew(() => reader.find(cursorsCollection, { filter: {} }), []),
        orIfNew(() => reader.find(waitingCollection, { filter: {} }), []),
      ]);
      return all.flatMap(({ id, doc: { keyName, stopped } }) => {
        const name = `the webhook ${id} of the API key ${keyName}`;
        if (stopped !== null) return [bad('webhooks', `${name} is sent nothing: ${stopped}`, HELP)];
        const own = waiting.flatMap(({ doc }) => (doc.webhookId === id ? doc : []));
        const parked = own.filter(({ isParked }) => isParked === 1).length;
        const late = own.filter(
          ({ isParked, since }) => isParked === 0 && now.getTime() - Date.parse(since) > LATE_MS,
        );
        const [oldest = ''] = late.map(({ since }) => since).sort();
        return [
          ...(parked > 0
            ? [bad('webhooks', `${name} could not be sent the events of ${parked} entities`, HELP)]
            : []),
          ...(late.length > 0
            ? [
                bad(
                  'webhooks',
                  `${name} takes no events of ${late.length} entities since ${oldest}, which are tried again`,
                  'GET /internal/webhooks/{id}/deliveries says what its receiver answers',
                ),
              ]
            : []),
        ];
      });
    }),
  );
