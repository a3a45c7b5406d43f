import type { Config } from '../../config/config.ts';
import { admitLog, RefusedLog } from '../../log-identity/admission.ts';
import { examineLog } from '../../log-identity/examine.ts';

/**
 * Refuses an event log that no service could run on, before a command works on what is made from it. What cannot
 * be looked at is left to the command, which meets it itself.
 *
 * @throws RefusedLog
 */
export const refuseUnknownLog = async ({
  stores,
  beginning,
}: Pick<Config, 'stores' | 'beginning'>): Promise<void> => {
  try {
    // Only a service begins one at once.
    admitLog(await examineLog(stores), beginning.kind === 'now' ? { kind: 'when told' } : beginning);
  } catch (error) {
    if (error instanceof RefusedLog) throw error;
  }
};
