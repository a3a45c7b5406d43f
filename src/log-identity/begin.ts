import { createAudit } from '../audit/audited.ts';
import { toLogIdentityReader } from '../event-store/identity.ts';
import { NO_STREAM, type EventLog } from '../event-store/port.ts';

/** Several instances may find an event log empty and begin it at once: only the first records that. */
const appendIfFirst = (append: EventLog['append']): EventLog['append'] => {
  let hasBegun = false;
  return async (first) => {
    if (hasBegun) return append(first);
    const result = first.expectedRevision === NO_STREAM ? await append(first) : undefined;
    if (result?.kind !== 'appended') throw new Error('another process has begun the event log meanwhile');
    hasBegun = true;
    return result;
  };
};

/**
 * Begins an event log. Its first event records this act of the actor.
 *
 * @returns the identity of the event log
 * @throws ActNotRecordedError where it cannot be written, or another process was first
 */
export const beginLog = (
  log: Pick<EventLog, 'append' | 'readStream' | 'readAll' | 'recordAt'>,
  actor: string,
): Promise<string> =>
  createAudit({ ...log, append: appendIfFirst(log.append) })({ actor })(
    { operation: 'init', parameters: {} },
    async () => {
      const first = await toLogIdentityReader(log).first();
      if (!first) throw new Error('The first event of the event log cannot be read back');
      return first.id;
    },
    (id) => id,
  );
