import type { CodeDelivery } from './code-delivery.ts';
import type { Clock } from './clock.ts';
import type { Ids } from './ids.ts';
import type { Secrets } from './secrets.ts';

/** The outside world, as functions; tests and the seed bring their own. */
export interface Ports {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly codes: CodeDelivery;
  readonly secrets: Secrets;
  /** The multi-factor flow of 4.1 is on. */
  readonly mfaPhoneUpdate: boolean;
}
