import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { toUnusableFileError } from '../../history/warehouse/duckdb.ts';
import { NEXT_DIRECTORY } from '../../history/warehouse/prepare.ts';
import { spillDirectoryName, WAREHOUSE_FILE, WAREHOUSE_FILES } from '../../history/warehouse/runnable-statement.ts';
import { isProcessRunning } from '../../lib/is-process-running.ts';
import { replaceWithEmptyFile } from '../../lib/files.ts';
import type { EventStoreSettings } from '../../stores.ts';
import { CliError } from '../parts/cli-error.ts';
import { DirectoryInUseError, refuseLink, lockDataDirectory } from '../parts/data-directory.ts';
import type { Terminal } from '../parts/terminal.ts';
import { print } from '../parts/print.ts';

/** Where the warehouse of an event log or a service is, and who may write it. */

const ID_DIGITS = 16;

/** Names an event log; its address may hold a password. */
export const nameOfLog = (eventStore: EventStoreSettings): string =>
  eventStore.kind === 'sqlite' ? resolve(eventStore.path) : `${eventStore.url} ${eventStore.prefix}`;

/** Stands for an event log or a service, and does not show its name. */
const idOf = (source: string): string => createHash('sha256').update(source).digest('hex').slice(0, ID_DIGITS);

/** The user's directory for what can be made again, as the XDG Base Directory Specification finds it. */
const cacheOf = ({ environment }: Pick<Terminal, 'environment'>): string => {
  const named = environment['XDG_CACHE_HOME'];
  // A relative path is to be ignored.
  return named !== undefined && isAbsolute(named) ? named : join(environment['HOME'] ?? homedir(), '.cache');
};

/**
 * The directory of the warehouse with masks, or of the one with personal data. @param source names what it is made from
 */
export const warehouseDirectoryOf = (
  terminal: Pick<Terminal, 'environment'>,
  source: string,
  { copy, personalData }: { readonly copy?: string | undefined; readonly personalData?: boolean | undefined },
): string => {
  const directory = copy === undefined ? join(cacheOf(terminal), 'hiring', 'history', idOf(source)) : resolve(copy);
  if (personalData !== true) return directory;
  const personal = join(directory, 'personal');
  refuseLink(personal);
  return personal;
};

const PAUSE_MS = 100;

/** What earlier versions made in the place of the warehouse. */
const EARLIER = ['copy.duckdb', 'copy.duckdb.wal', 'spill'];

/** Deletes what killed processes have spilled to the disk, and files of earlier versions. */
const deleteLeft = (directory: string): void => {
  const names = readdirSync(directory);
  const left = names.filter((name) => {
    const pid = Number(/^spill-(\d+)$/.exec(name)?.[1]);
    return pid > 0 && !isProcessRunning(pid);
  });
  // Without the first file, the others may be the user's own.
  if (names.includes('copy.duckdb')) left.push(...EARLIER);
  for (const name of left) rmSync(join(directory, name), { recursive: true, force: true });
};

/**
 * Takes a warehouse for this process to write, once no other one does.
 *
 * @param signal ends the waiting
 * @returns gives it back
 * @throws CliError when another process still has it after so many milliseconds
 */
export const lockWarehouse = async (
  directory: string,
  waitMs: number,
  { stderr }: Pick<Terminal, 'stderr'>,
  signal: AbortSignal,
): Promise<() => void> => {
  for (let left = waitMs; ; left -= PAUSE_MS)
    try {
      const files = WAREHOUSE_FILES.flatMap((name) => [name, `${name}.wal`]);
      const release = lockDataDirectory(directory, files);
      const spillTo = join(directory, spillDirectoryName(process.pid));
      const writing = ['', ...files].map((name) => join(directory, NEXT_DIRECTORY, name));
      for (const path of [spillTo, ...writing]) refuseLink(path);
      deleteLeft(directory);
      mkdirSync(spillTo, { recursive: true, mode: 0o700 });
      return release;
    } catch (error) {
      if (!(error instanceof DirectoryInUseError)) throw toUnusableFileError(directory, error);
      const inUse = error.message.replace('The data directory', 'The warehouse in');
      if (left <= 0) throw new CliError(`${inUse}; try again, or name another place by --copy`);
      if (left === waitMs) print(stderr, `hiring: ${inUse}, which is waited for`);
      await delay(PAUSE_MS);
      signal.throwIfAborted();
    }
};

/** Says that the warehouse beside it, with personal data, is to stay. */
const KEPT = 'kept';

/** Marks a warehouse that this process has as one that is to stay. */
export const keepWarehouse = (directory: string): void => {
  if (existsSync(join(directory, WAREHOUSE_FILE))) replaceWithEmptyFile(join(directory, KEPT));
};

/**
 * Deletes a warehouse with personal data, or what a killed command has left of it; not one in use, or that is to stay.
 */
export const deleteUnkeptWarehouse = (directory: string): void => {
  if (!existsSync(directory) || existsSync(join(directory, KEPT))) return;
  try {
    const release = lockDataDirectory(directory, WAREHOUSE_FILES);
    deleteLeft(directory);
    release();
  } catch (error) {
    if (error instanceof DirectoryInUseError) return;
    throw error;
  }
  for (const name of [...WAREHOUSE_FILES, NEXT_DIRECTORY, KEPT, 'owner.lock', 'owner.pid'])
    rmSync(join(directory, name), { recursive: true, force: true });
  if (existsSync(directory) && readdirSync(directory).length === 0) rmdirSync(directory);
};
