import { existsSync, readdirSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { EventLogConfig } from '../../config/config.ts';
import { admitLog, LogRefusedError } from '../../log-identity/admit-log.ts';
import { examineLog } from '../../log-identity/examine.ts';
import { daysBefore } from '../../audit/acts.ts';
import { BACKUP_SEARCH_DAYS, findLastBackup } from '../../audit/last-backup.ts';
import { refuseDamagedLog } from '../../event-store/embedded/failures.ts';
import { readRecordedLosses } from '../../event-store/embedded/lost-ranges.ts';
import { findLogDamage } from '../../event-store/embedded/verify.ts';
import { readRecordedAt, recordedAtOf } from '../../event-store/identity.ts';
import { describeLostPart, streamsText } from '../../event-store/events-or-loss.ts';
import { LogDamagedError, START_POSITION, type RecordedEvent } from '../../event-store/port.ts';
import { byteSizeText } from '../../lib/byte-size-text.ts';
import { using } from '../../lib/using.ts';
import { openConcurrentEventLog, type EventStoreSettings, type ConcurrentEventLog } from '../../stores.ts';
import { oneLineReason } from '../parts/cli-error.ts';
import { findLogFileFault } from '../parts/event-file.ts';
import { readBackupManifest } from '../parts/backup-manifest.ts';
import { readFileStatus } from './directory.ts';
import { badFinding, runAsFindings, wellFinding, type Finding } from './finding.ts';
import { createServerHelpFinder } from './external-services.ts';

const RESTORE =
  'hiring check says what it still holds, hiring backup --salvage saves that, hiring restore --from <backup> puts a backup in its place';
const MAX_NAMES = 5;
const listed = (names: readonly string[]): string =>
  names.slice(0, MAX_NAMES).join(', ') + (names.length > MAX_NAMES ? ', …' : '');

/**
 * In an empty directory a start may begin an event log, if its identity allows; among other files one should be there.
 */
const withoutLog = (file: string): Finding => {
  const directory = dirname(file);
  const others = existsSync(directory)
    ? readdirSync(directory).filter((name) => !/^owner\.|^\.|^lost\+found$/.test(name))
    : [];
  if (others.length === 0) return wellFinding('event log', `${file} is not there yet`);
  const help = 'is DATA_DIR right, and is its disk mounted? Else hiring restore --from <backup>';
  return badFinding('event log', `${file} is not there, and ${directory} holds ${listed(others)}`, help);
};

/** Whether this process may use the file and what SQLite keeps beside it. */
const isOpen = async (file: string): Promise<boolean> => {
  for (const name of [file, `${file}-wal`, `${file}-shm`].filter(existsSync))
    try {
      await access(name, constants.R_OK | constants.W_OK);
    } catch {
      return false;
    }
  return true;
};

/** Opens the file, and reads its header and both ends. */
const lookAtFile = async (file: string): Promise<Finding | readonly Finding[]> => {
  const status = await readFileStatus(file);
  if (!status) return withoutLog(file);
  // It cannot be read, which the check of owners reports.
  if (!(await isOpen(file))) return [];
  const fault = findLogFileFault(file);
  if (fault !== undefined)
    return badFinding('event log', fault, `put back what was copied without its -wal, or ${RESTORE}`);
  refuseDamagedLog(file);
  const left = (await readFileStatus(`${file}-wal`))?.size ?? 0;
  const noted = readRecordedLosses(file).map((each) => describeLostPart(each).where);
  const lack = noted.length === 0 ? '' : `, and lacks ${listed(noted)}, which are noted as lost`;
  const text = `${file} has ${byteSizeText(status.size)}${lack}`;
  return wellFinding('event log', left === 0 ? text : `${text}, and ${byteSizeText(left)} in its write-ahead log`);
};

export const diagnoseEventLog = (settings: EventStoreSettings): Promise<readonly Finding[]> =>
  runAsFindings(
    'event log',
    async () => {
      if (settings.kind === 'sqlite') return lookAtFile(resolve(settings.path));
      return using(
        openConcurrentEventLog(settings, () => undefined),
        async (log) => wellFinding('event log', `EventStoreDB answers; its last position is ${await log.head()}`),
      );
    },
    settings.kind === 'sqlite' ? RESTORE : createServerHelpFinder('EVENT_STORE_URL', settings.url),
  );

/** How long events are verified, at about 100,000 a second. */
const VERIFY_MS = 30_000;
const MAX_DAMAGES = 5;

/** Each event of a file, as far as there is time. @param signal aborted when there is no more */
export const diagnoseEventIntegrity = async (
  settings: EventStoreSettings,
  signal = AbortSignal.timeout(VERIFY_MS),
): Promise<readonly Finding[]> => {
  if (settings.kind !== 'sqlite' || !existsSync(settings.path) || findLogFileFault(settings.path) !== undefined)
    return [];
  const file = resolve(settings.path);
  let read = START_POSITION;
  const findings: Finding[] = [];
  try {
    for await (const damage of findLogDamage(file, signal, (position) => (read = position))) {
      const text = `${new LogDamagedError(damage).message}${streamsText(damage.streams ?? [])}`;
      findings.push(badFinding('event log', text, RESTORE));
      if (findings.length === MAX_DAMAGES) break;
    }
  } catch (error) {
    return [...findings, badFinding('event log', error, RESTORE)];
  }
  if (findings.length === MAX_DAMAGES || (findings.length > 0 && signal.aborted))
    return [...findings, badFinding('event log', `there may be more after position ${read}`, RESTORE)];
  const rest = signal.aborted ? ` in ${VERIFY_MS / 1_000} s; hiring check verifies the rest` : '';
  return findings.length > 0
    ? findings
    : [wellFinding('event log', `its events are verified up to position ${read}${rest}`)];
};

/** How long lost events are reported. */
const LOST_DAYS = 7;
const PUT_BACK =
  'a backup that has them brings them back in the place of what was recorded since: hiring restore --from <backup> --replace';

/** The event log as a start compares it with what builds have seen of it, and what was found lost earlier. */
export const diagnoseLogIdentity = async (
  { stores, initPolicy }: EventLogConfig,
  now: Date,
): Promise<readonly Finding[]> => {
  try {
    const finding = await examineLog(stores);
    const { warnings } = admitLog(finding, initPolicy);
    const findings = warnings.map((text) => badFinding('event log', text));
    const { lack, logLoss } = finding;
    // What it lacks now is among the warnings.
    if (lack !== undefined || !logLoss || logLoss.foundAt <= daysBefore(now, LOST_DAYS)) return findings;
    const { foundAt, text } = logLoss;
    return [...findings, badFinding('event log', `events were found lost at ${foundAt}: ${text}`, PUT_BACK)];
  } catch (error) {
    // What cannot be read is a finding of its own.
    return error instanceof LogRefusedError ? [badFinding('event log', error)] : [];
  }
};

/** Clocks of machines differ by less, and a clock that is set right moves by less. */
const MAX_AHEAD_MS = 5_000;

/** Which event log it is, and how old. */
const identityOf = (first: RecordedEvent, last: string | undefined): Finding =>
  wellFinding('event log', `it is ${first.id}, with events from ${recordedAtOf(first) ?? '?'} to ${last ?? '?'}`);

const lookAtClock = (last: string | undefined, now: Date): Finding => {
  const ahead = last === undefined ? 0 : Date.parse(last) - now.getTime();
  const text = `${now.toISOString()} (UTC)`;
  if (ahead <= MAX_AHEAD_MS) return wellFinding('clock', text);
  const late = `it says ${text}, ${Math.round(ahead / 1_000)} s before the last event, of ${last ?? ''}`;
  return badFinding('clock', late, 'timedatectl status says whether it is synchronized');
};

/** When the lack of a backup is a fault. */
interface BackupRule {
  /** How old the last one may be. */
  readonly days: number;
  /** Outside production there need be none. */
  readonly isRequired: boolean;
}

const BACK_UP = 'hiring backup --to <file>, on another disk';

/** What keeps a backup from being restored, as far as its size tells; undefined where nothing does. */
const backupFault = (backup: string, size: number): string | undefined => {
  try {
    const { bytes } = readBackupManifest(backup);
    return size === bytes ? undefined : `it has ${size} of ${bytes} bytes, and cannot be restored`;
  } catch (error) {
    return oneLineReason(error);
  }
};

/** @param first event of the log, since which there may have been a backup */
const lookAtBackups = async (
  log: ConcurrentEventLog,
  first: RecordedEvent | undefined,
  now: Date,
  { days, isRequired }: BackupRule,
): Promise<Finding> => {
  const since = daysBefore(now, Math.max(BACKUP_SEARCH_DAYS, days));
  const last = await findLastBackup(log, since, now);
  const to = last ? String(last.parameters['to']) : '';
  const status = last && (await readFileStatus(to));
  const at = last?.requestedAt ?? recordedAtOf(first) ?? now.toISOString();
  const which = last
    ? `the last is of ${at}, ${to}${status ? '' : ', which is not there now'}`
    : `none is known since ${since}`;
  const fault = status && backupFault(to, status.size);
  if (fault !== undefined) return badFinding('backup', `${which}: ${fault}`, BACK_UP);
  const isYoung = Date.parse(at) >= Date.parse(daysBefore(now, days));
  return isYoung || (!last && !isRequired) ? wellFinding('backup', which) : badFinding('backup', which, BACK_UP);
};

/** Which event log it is, and what its events say of the clock and of backups. Other checks report unreadable logs. */
export const diagnoseClockAndBackups = async (
  settings: EventStoreSettings,
  now: Date,
  backups: BackupRule,
): Promise<readonly Finding[]> => {
  const plain = wellFinding('clock', `${now.toISOString()} (UTC)`);
  if (settings.kind === 'sqlite' && (!existsSync(settings.path) || findLogFileFault(settings.path) !== undefined))
    return [plain];
  try {
    return await using(
      openConcurrentEventLog(settings, () => undefined),
      async (log) => {
        const head = log.head();
        const last = await head.then((position) => readRecordedAt(log, position)).catch(() => undefined);
        const [first] = await log.readAll(START_POSITION, 1).catch(() => []);
        const lookAtBackup = () => lookAtBackups(log, first, now, backups);
        return [
          ...(first ? [identityOf(first, last)] : []),
          lookAtClock(last, now),
          ...(settings.kind === 'sqlite' ? await runAsFindings('backup', lookAtBackup) : []),
        ];
      },
    );
  } catch {
    // The event log cannot be read, as its own finding says.
    return [plain];
  }
};
