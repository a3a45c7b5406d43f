import type { Config } from '../../config/config.ts';
import { admitLog } from '../../log-identity/admission.ts';
import { examineLog } from '../../log-identity/examine.ts';
import { awaitedServer } from '../../stores.ts';

/**
 * Refuses an event log that no service could run on, before a command works on what is made from it. A server that does
 * not answer is looked at later.
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
    if (awaitedServer(error) === undefined) throw error;
  }
};
