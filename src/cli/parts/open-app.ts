import { pino, type Logger } from 'pino';
import { createApp, type App } from '../../app/create-app.ts';
import type { Config } from '../../config/config.ts';
import { hiring } from '../../hiring/index.ts';
import { isLoopbackHost } from '../../lib/ip-address.ts';
import { systemClock } from '../../ports/clock.ts';
import type { Delivery } from '../../ports/code-delivery.ts';
import { deliverByChannel } from '../../ports/deliver-by-channel.ts';
import { randomIds } from '../../ports/ids.ts';
import { logDelivery } from '../../ports/log-delivery.ts';
import { codeMessage, phoneChangeMessage } from '../../ports/messages.ts';
import { createOsrmRouter } from '../../process-managers/road-router.ts';
import { createSecrets } from '../../ports/secrets.ts';
import { createWebhookSecrets } from '../../ports/webhook-secrets.ts';
import { smsWebhookDelivery } from '../../ports/sms-webhook.ts';
import { smtpDelivery } from '../../ports/smtp-delivery.ts';
import { withRetries } from '../../ports/with-retries.ts';
import { lockDataDirectories } from './data-directories.ts';
import type { Terminal } from './terminal.ts';
import { printData } from './print.ts';

const DELIVERY = { attempts: 3, pauseMs: 200 };

/** SMTP and the webhook where they are configured; all else goes to standard output, unscrubbed, for the demo. */
const createDelivery = ({ stdout }: Terminal, { mail, sms }: Config, logger: Logger): Delivery => {
  const shown = pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line) => printData(stdout, line) },
  );
  const toLog = logDelivery((message) => shown.info(message, 'a message that would be delivered'));
  const byChannel = deliverByChannel({
    mail: mail.kind === 'smtp' ? smtpDelivery(mail.url) : toLog,
    sms: sms.kind === 'webhook' ? smsWebhookDelivery(sms.url) : toLog,
  });
  const onFailure = (error: unknown, attempt: number) =>
    logger.warn({ err: error, attempt }, 'A message was not delivered');
  return withRetries(byChannel, { ...DELIVERY, onFailure });
};

/** Takes the data files and starts the service without listening. @throws DirectoryInUse if another process has them */
export const openApp = async (terminal: Terminal, config: Config, logger: Logger): Promise<App> => {
  const { stores } = config;
  const deliver = createDelivery(terminal, config, logger);
  const release = lockDataDirectories([stores.eventStore, stores.readModels]);
  try {
    const app = await createApp({
      ...config,
      domain: hiring,
      ports: {
        clock: systemClock,
        ids: randomIds,
        codes: (to, code) => deliver(to, codeMessage(code)),
        phoneChangeNotice: (to) => deliver(to, phoneChangeMessage),
        secrets: createSecrets(config.codeSecret),
        mfaPhoneUpdate: config.mfaPhoneUpdate,
        legacyPhoneUpdate: config.legacyPhoneUpdate,
        smsCountries: config.smsCountries,
        webhooks:
          config.webhookSecret === undefined
            ? undefined
            : {
                secrets: createWebhookSecrets(config.webhookSecret),
                // Not where other machines may use the demo: they would reach what listens for this one alone.
                isLoopbackAllowed: config.isDemo && isLoopbackHost(config.host),
              },
      },
      logger,
      maskSecret: config.codeSecret,
      roadRouter: config.roads.kind === 'osrm' ? createOsrmRouter(config.roads.url) : undefined,
      webhooks: { networks: config.webhookNetworks },
      threads: terminal.threads,
      metricsPort: config.metrics.kind === 'own-port' ? config.metrics.port : undefined,
    });
    return {
      ...app,
      async stop() {
        await app.stop();
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
};
