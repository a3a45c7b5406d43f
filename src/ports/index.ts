import type { CodeDelivery, SendPhoneChangeNotice } from './code-delivery.ts';
import type { Clock } from './clock.ts';
import type { Ids } from './ids.ts';
import type { Secrets } from './secrets.ts';
import type { WebhookSecrets } from './webhook-secrets.ts';

/** The outside world, as functions; tests and the seed bring their own. */
export interface Ports {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly codes: CodeDelivery;
  readonly phoneChangeNotice: SendPhoneChangeNotice;
  readonly secrets: Secrets;
  /** Whether the multi-factor flow of 4.1 is on. */
  readonly mfaPhoneUpdate: boolean;
  /** Whether the legacy flow of 4.1 is on. */
  readonly legacyPhoneUpdate: boolean;
  /** ISO 3166-1 alpha-2 codes of the countries that SMS go to; empty: all. */
  readonly smsCountries: readonly string[];
  /** Undefined: webhooks are off. */
  readonly webhooks?: WebhooksPort | undefined;
}

export interface WebhooksPort {
  readonly secrets: WebhookSecrets;
  /** In the demo receivers may be on this machine. */
  readonly isLoopbackAllowed: boolean;
}
