import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { salvageLog, type IdempotencyRecordLossCount } from '../../event-store/embedded/salvage.ts';
import { findLogDamage } from '../../event-store/embedded/verify.ts';
import { describeLostPart, type EventsOrLoss } from '../../event-store/events-or-loss.ts';
import { logDamageOf } from '../../event-store/port.ts';
import { replaceWithEmptyFile } from '../../lib/files.ts';
import { neverAborted } from '../../lib/never-aborted.ts';
import { withTemporaryDirectory } from '../../lib/temporary-directory.ts';
import type { StoreSettings } from '../../stores.ts';
import { checkLog, createFindingCollector } from '../../event-store/check-log.ts';
import { oneLine } from '../../lib/escape-invisible.ts';
import { CliError, oneLineReason } from './cli-error.ts';
import { lockDataDirectory } from './data-directory.ts';
import { eventFileOf } from './event-file.ts';
import { print } from './print.ts';
import type { Terminal } from './terminal.ts';

/** Whether an event log is damaged, so that a backup of it and a read of all of it are refused. */
export const isLogDamaged = async (file: string): Promise<boolean> => {
  const damages = findLogDamage(file, neverAborted);
  const first = await damages.next();
  await damages.return();
  return first.done !== true;
};

/**
 * Writes what can still be read of an event log into a new file, as a salvaged log.
 *
 * @returns a line for each loss, as `hiring check` prints it, also for those that an earlier salvage has noted
 * @throws Error where nothing can be read, or the new file cannot be written
 */
export const salvageToFile = async (file: string, to: string): Promise<readonly string[]> => {
  replaceWithEmptyFile(to);
  const findings = createFindingCollector(Infinity);
  let records: IdempotencyRecordLossCount = { lost: 0, areAllKnown: true };
  const parts = async function* (): AsyncGenerator<EventsOrLoss, void> {
    records = yield* salvageLog(file, to);
  };
  const raw = { decode: (event: object) => event, onRead: () => undefined };
  const { noted } = await checkLog({ parts: parts(), ...raw }, findings);
  const { lost, areAllKnown } = records;
  if (lost > 0 || !areAllKnown)
    findings.add('idempotency records', `about ${lost}${areAllKnown ? '' : ', or more,'} cannot be read`);
  return [...noted.map(describeLostPart), ...findings.kept()].map(({ where, what }) => oneLine(`${where}: ${what}`));
};

export interface AroundDamageOption {
  /** Reads what can be read of a damaged event log. */
  readonly aroundDamage?: true;
}

/** @throws CliError where the event log is damaged */
const readAsItIs = async <T>(read: () => Promise<T>): Promise<T> => {
  try {
    return await read();
  } catch (error) {
    const damage = logDamageOf(error);
    if (!damage) throw error;
    throw new CliError(
      `${damage.file}: ${oneLineReason(error)}; --around-damage says what is lost, and reads the rest`,
    );
  }
};

const TEMPORARY = 'hiring-around-damage-';
/** Longer than a process takes from making a directory to taking it. */
const YOUNG_MS = 60_000;

/** Removes the temporary directories that killed processes of this user have left, but none that is in use. */
const removeLeftDirectories = (): void => {
  for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith(TEMPORARY))) {
    const directory = join(tmpdir(), name);
    const found = lstatSync(directory, { throwIfNoEntry: false });
    const isOurs = found?.isDirectory() === true && found.uid === process.geteuid?.();
    if (!isOurs || Date.now() - found.mtimeMs < YOUNG_MS) continue;
    try {
      const giveBack = lockDataDirectory(directory, []);
      rmSync(directory, { recursive: true, force: true });
      giveBack();
    } catch {
      // It is in use, or another process removes it as well.
    }
  }
};

/**
 * Reads the stores. With `aroundDamage` it reads a salvaged copy of a damaged event log, and prints first what is lost.
 * The copy has no read models: those that were made from the whole event log would not match it.
 *
 * @param read also gets the directory of the copy, which is removed afterwards with all that is in it
 * @throws CliError for a damaged event log, and for `aroundDamage` of a server
 */
export const withStoresOrSalvagedCopy = async <T>(
  { stderr }: Pick<Terminal, 'stderr'>,
  stores: StoreSettings,
  { aroundDamage }: AroundDamageOption,
  read: (stores: StoreSettings, directory?: string) => Promise<T>,
): Promise<T> => {
  if (!aroundDamage) return readAsItIs(() => read(stores));
  const file = eventFileOf(stores.eventStore, '--around-damage');
  if (!(await isLogDamaged(file))) return read(stores);
  const readCopy = async (directory: string): Promise<T> => {
    const inCopy = (name: string) => ({ kind: 'sqlite', path: join(directory, name) }) as const;
    const copy = { eventStore: inCopy('events.db'), readModels: inCopy('read-models.db') };
    const lines = await salvageToFile(file, copy.eventStore.path).catch((error: unknown) => {
      throw new CliError(`What can be read cannot be copied into ${directory}: ${oneLineReason(error)}`);
    });
    print(
      stderr,
      lines.map((line) => `hiring: lost: ${line}`),
    );
    return read(copy, directory);
  };
  removeLeftDirectories();
  return withTemporaryDirectory(TEMPORARY, (directory) =>
    readCopy(directory).finally(lockDataDirectory(directory, [])),
  );
};
