import type { Audited } from '../../audit/audited.ts';
import type { LogConfig } from '../../config/config.ts';
import { admitLog, RefusedLog } from '../../log-identity/admission.ts';
import { examineLog } from '../../log-identity/examine.ts';
import { auditedIn } from './audit.ts';

/**
 * Refuses an event log that no service could run on, before a command works on what is made from it. What cannot
 * be looked at is left to the command, which meets it itself.
 *
 * @throws RefusedLog
 */
export const refuseUnknownLog = async ({ stores, beginning }: LogConfig): Promise<void> => {
  try {
    // Only a service begins one at once.
    admitLog(await examineLog(stores), beginning.kind === 'now' ? { kind: 'when told' } : beginning);
  } catch (error) {
    if (error instanceof RefusedLog) throw error;
  }
};

/** As `auditedIn`, for acts before which nothing was looked at: one would be the first event of another event log. */
export const auditedInKnown =
  (config: LogConfig): Audited =>
  async (...act) => {
    await refuseUnknownLog(config);
    return auditedIn(config.stores.eventStore)(...act);
  };
