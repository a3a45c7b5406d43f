import type { OneTimeCodeSender, PhoneChangeNoticeSender } from './message-sender.ts';
import type { Clock } from './clock.ts';
import type { IdAndCodeGenerator } from './id-and-code-generator.ts';
import type { CodeCrypto } from './code-crypto.ts';
import type { WebhookCrypto } from './webhook-crypto.ts';

/** The outside world, as functions; tests and the seed bring their own. */
export interface Ports {
  readonly clock: Clock;
  readonly ids: IdAndCodeGenerator;
  readonly codes: OneTimeCodeSender;
  readonly phoneChangeNotice: PhoneChangeNoticeSender;
  readonly secrets: CodeCrypto;
  /** Whether the multi-factor flow of 4.1 is on. */
  readonly mfaPhoneUpdate: boolean;
  /** Whether the legacy flow of 4.1 is on. */
  readonly legacyPhoneUpdate: boolean;
  /** ISO 3166-1 alpha-2 codes of the countries that SMS go to; empty: all. */
  readonly smsCountries: readonly string[];
  /** Undefined: webhooks are off. */
  readonly webhooks?: WebhookSettings | undefined;
}

export interface WebhookSettings {
  readonly secrets: WebhookCrypto;
  /** In the demo receivers may be on this machine. */
  readonly isLoopbackAllowed: boolean;
}
