import { using } from '../../lib/using.ts';
import { openReadModelReader, webhookStoreSettingsOf, type ReadModelSettings } from '../../stores.ts';
import { cursorsCollection, orIfNotBuilt, waitingEntitiesCollection } from '../../webhooks/store.ts';
import { badFinding, runAsFindings, type Finding } from './finding.ts';

/** A receiver that restarts is away for less. */
const LATE_MS = 600_000;
const HELP = 'POST /internal/webhooks/{id}/replay has it go on';
const RECEIVER = 'GET /internal/webhooks/{id}/deliveries says what its receiver answers';

/** Webhooks that stand still until a replay, and entities whose events were given up or wait for long. */
export const diagnoseWebhooks = (settings: ReadModelSettings, now: Date): Promise<readonly Finding[]> =>
  runAsFindings('webhooks', () =>
    using(openReadModelReader(webhookStoreSettingsOf(settings)), async (reader) => {
      const [all, waiting] = await Promise.all([
        orIfNotBuilt(() => reader.find(cursorsCollection, { filter: {} }), []),
        orIfNotBuilt(() => reader.find(waitingEntitiesCollection, { filter: {} }), []),
      ]);
      const findings: Finding[] = [];
      for (const { id, doc } of all) {
        const name = `the webhook ${id} of the API key ${doc.keyName}`;
        const fault = (text: string, help: string) => findings.push(badFinding('webhooks', `${name} ${text}`, help));
        if (doc.stopped !== null) {
          fault(`is sent nothing: ${doc.stopped}`, HELP);
          continue;
        }
        const own = waiting.flatMap((entity) => (entity.doc.webhookId === id ? entity.doc : []));
        const parked = own.filter(({ isParked }) => isParked === 1).length;
        if (parked > 0) fault(`could not be sent the events of ${parked} entities`, HELP);
        const late = own.flatMap(({ isParked, since }) =>
          isParked === 0 && now.getTime() - Date.parse(since) > LATE_MS ? since : [],
        );
        const [oldest] = late.sort();
        if (oldest !== undefined)
          fault(`takes no events of ${late.length} entities since ${oldest}, which are tried again`, RECEIVER);
      }
      return findings;
    }),
  );
