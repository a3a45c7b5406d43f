import { pino, type Logger } from 'pino';
import { createApp, type App } from '../../app/create-app.ts';
import type { Config } from '../../config/config.ts';
import { hiring } from '../../hiring/index.ts';
import { isLoopbackHost } from '../../lib/ip-address.ts';
import { systemClock } from '../../ports/clock.ts';
import type { MessageSender } from '../../ports/message-sender.ts';
import { createChannelDispatcher } from '../../ports/channel-dispatcher.ts';
import { randomIdAndCodeGenerator } from '../../ports/id-and-code-generator.ts';
import { createSinkSender } from '../../ports/sink-sender.ts';
import { codeMessage, PHONE_CHANGE_MESSAGE } from '../../ports/messages.ts';
import { createOsrmRouter } from '../../process-managers/road-router.ts';
import { createCodeCrypto } from '../../ports/code-crypto.ts';
import { createWebhookCrypto } from '../../ports/webhook-crypto.ts';
import { createSmsWebhookSender } from '../../ports/sms-webhook-sender.ts';
import { createSmtpSender } from '../../ports/smtp-sender.ts';
import { withSendRetries } from '../../ports/with-send-retries.ts';
import { lockDataDirectories } from './data-directories.ts';
import type { Terminal } from './terminal.ts';
import { printRawText } from './print.ts';

const DELIVERY = { attempts: 3, pauseMs: 200 };

/** SMTP and the webhook where they are configured; all else goes to standard output, unscrubbed, for the demo. */
const createDelivery = ({ stdout }: Terminal, { mail, sms }: Config, logger: Logger): MessageSender => {
  const shown = pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line) => printRawText(stdout, line) },
  );
  const toLog = createSinkSender((message) => shown.info(message, 'a message that would be delivered'));
  const byChannel = createChannelDispatcher({
    mail: mail.kind === 'smtp' ? createSmtpSender(mail.url) : toLog,
    sms: sms.kind === 'webhook' ? createSmsWebhookSender(sms.url) : toLog,
  });
  const onFailure = (error: unknown, attempt: number) =>
    logger.warn({ err: error, attempt }, 'A message was not delivered');
  return withSendRetries(byChannel, { ...DELIVERY, onFailure });
};

/**
 * Takes the data files and starts the service without listening. @throws DirectoryInUseError if another process has
 * them
 */
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
        ids: randomIdAndCodeGenerator,
        codes: (to, code) => deliver(to, codeMessage(code)),
        phoneChangeNotice: (to) => deliver(to, PHONE_CHANGE_MESSAGE),
        secrets: createCodeCrypto(config.codeSecret),
        mfaPhoneUpdate: config.mfaPhoneUpdate,
        legacyPhoneUpdate: config.legacyPhoneUpdate,
        smsCountries: config.smsCountries,
        webhooks:
          config.webhookSecret === undefined
            ? undefined
            : {
                secrets: createWebhookCrypto(config.webhookSecret),
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
