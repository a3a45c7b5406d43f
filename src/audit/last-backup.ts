import type { EventLog } from '../event-store/port.ts';
import { daysBefore, readActs, type RecordedAct } from './acts.ts';

/** How far back a backup is searched for: each day is a stream to read. */
export const BACKUP_SEARCH_DAYS = 90;

type Log = Pick<EventLog, 'readStream' | 'readAll'>;

/** The last backup since a time, which is known by its act in the event log. @param since RFC 3339 */
export const findLastBackup = async (log: Log, since: string, now: Date): Promise<RecordedAct | undefined> =>
  (await readActs(log, { since, now })).findLast(
    ({ operation, phase }) => operation === 'backup' && phase === 'completed',
  );

/** Creates a function that finds the last backup; after its first call it reads only the acts of the last day. */
export const createLastBackupFinder = (log: Log): ((now: Date) => Promise<RecordedAct | undefined>) => {
  let last: RecordedAct | undefined;
  let since: string | undefined;
  return async (now) => {
    last = (await findLastBackup(log, since ?? daysBefore(now, BACKUP_SEARCH_DAYS), now)) ?? last;
    // A backup under way was asked for earlier, and takes less than a day.
    since = daysBefore(now, 1);
    return last;
  };
};
