import { createAudit } from '../audit/audited.ts';
import { comparedLog } from '../event-store/identity.ts';
import type { EventLog } from '../event-store/port.ts';

/**
 * Begins an event log: its first event is the act of whoever does it.
 *
 * @returns its identity
 * @throws NotRecorded where it cannot be written
 */
export const beginLog = (
  log: Pick<EventLog, 'append' | 'readStream' | 'readAll' | 'recordAt'>,
  actor: string,
): Promise<string> =>
  createAudit(log)({ actor })(
    { operation: 'init', parameters: {} },
    async () => {
      const first = await comparedLog(log).first();
      if (!first) throw new Error('The first event of the event log cannot be read back');
      return first.id;
    },
    (id) => id,
  );
