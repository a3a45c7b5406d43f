import type { Logger } from 'pino';
import { createRepository } from '../application/repository.ts';
import { webhooksDecider } from '../streams/webhooks.ts';
import type { CidrBlock } from '../lib/ip-address.ts';
import { reasonInFull } from '../lib/reason-in-full.ts';
import { throttleEach } from '../lib/throttle.ts';
import type { Metrics } from '../monitoring/metrics.ts';
import { systemClock } from '../ports/clock.ts';
import type { WebhookSettings } from '../ports/index.ts';
import type { WebhookReadContext } from '../builds/admin-operation.ts';
import { openReadModelStore, webhookStoreSettingsOf, type ReadModelSettings } from '../stores.ts';
import { startWebhookDelivery, type WebhookDeliveryOptions } from './start-webhook-delivery.ts';

interface WebhookOptions
  extends WebhookSettings, Pick<WebhookDeliveryOptions, 'eventStore' | 'keyNames' | 'clock' | 'retries' | 'signal'> {
  readonly readModels: ReadModelSettings;
  /** Networks that may be sent to beside public addresses; left out: none. */
  readonly networks?: readonly CidrBlock[];
  readonly metrics: Pick<Metrics, 'webhookTries' | 'watchWebhooks'>;
  readonly logger: Logger;
}

const SAME_FAILURE_MS = 60_000;

/** Begins to deliver webhooks. */
export const startWebhookService = async (options: WebhookOptions) => {
  const { isLoopbackAllowed, networks = [], readModels, metrics, logger } = options;
  const { load } = createRepository(options.eventStore);
  const store = await openReadModelStore(webhookStoreSettingsOf(readModels), (line) => logger.warn(line));
  const undelivered = throttleEach(
    SAME_FAILURE_MS,
    (webhookId: string, _reason: string) => webhookId,
    (webhookId, reason) => logger.warn({ webhookId, reason }, 'A webhook takes no events and is tried again'),
  );
  const delivery = startWebhookDelivery({
    ...options,
    load,
    store,
    allowed: { networks, isLoopbackAllowed },
    systemClock,
    onTry(webhookId, { status, failure }, isDelivered) {
      metrics.webhookTries.inc({ outcome: isDelivered ? 'delivered' : 'failed' });
      if (!isDelivered) undelivered(webhookId, failure ?? `it answers ${status ?? 'nothing'}`);
    },
    onError: throttleEach(SAME_FAILURE_MS, reasonInFull, (error) =>
      logger.error({ reason: reasonInFull(error) }, 'The delivery of webhooks failed and begins again'),
    ),
  });
  metrics.watchWebhooks(() => delivery.figures());
  return {
    reading: {
      subscriptionsOf: async (keyName) => (await load(webhooksDecider, keyName)).state,
      readModels: store,
      now: options.clock,
    } satisfies WebhookReadContext,
    /** Resolves once deliveries have ended, after the signal was aborted, and what they keep is closed. */
    close: async (): Promise<void> => {
      await delivery.ended;
      await store.close();
    },
  };
};
