import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, lstatSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { countLogContent, copySnapshot } from '../../event-store/embedded/backup.ts';
import { systemClock } from '../../ports/clock.ts';
import { findLogDamage } from '../../event-store/embedded/verify.ts';
import { LogDamagedError } from '../../event-store/port.ts';
import { createCliAudit } from '../parts/audit.ts';
import { refuseUnknownLog } from '../parts/known-log.ts';
import { isLogDamaged, salvageToFile } from '../parts/salvage.ts';
import { oneLine } from '../../lib/escape-invisible.ts';
import { CliError, oneLineReason } from '../parts/cli-error.ts';
import { eventFileOf, loadExistingLogConfig } from '../parts/event-file.ts';
import { manifestFileOf, writeBackupManifest, type BackupManifest } from '../parts/backup-manifest.ts';
import { sizeAndChecksumOfFile } from '../../lib/file-checksum.ts';
import { neverAborted } from '../../lib/never-aborted.ts';
import { openNewFile, replaceWithEmptyFile, syncToDisk } from '../../lib/files.ts';
import { fileFailureOf } from '../../sqlite/failures.ts';
import { removeDatabase } from '../../sqlite/files.ts';
import type { Terminal } from '../parts/terminal.ts';
import { print } from '../parts/print.ts';

export interface BackupOptions {
  readonly to: string;
  /** Writes what can still be read of a damaged event log. */
  readonly salvage?: true;
}

const SALVAGE = '; hiring check says what is lost, and --salvage writes the rest';

/** @throws CliError for a copy that is not sound: the event log is damaged */
const refuseUnsound = async (file: string, help: string): Promise<void> => {
  for await (const damage of findLogDamage(file, neverAborted))
    throw new CliError(
      `The backup is not sound, and is removed: ${oneLine(new LogDamagedError(damage).message)}${help}`,
    );
};

/** @param name that of the backup or of its manifest */
const nameTaken = (to: string, name = to): CliError =>
  new CliError(
    name === to
      ? `--to names ${to}, which is there already; allowed: a new file`
      : `--to names ${to}, whose manifest would be ${name}, which is there already; allowed: another file`,
  );

/** Takes the name for this backup alone: an operator may make two at once. @throws CliError where it is taken */
const reserveName = (to: string): void => {
  try {
    closeSync(openNewFile(to));
  } catch (error) {
    throw existsSync(to) ? nameTaken(to) : error;
  }
};

/**
 * Takes the name by an empty file, writes the manifest, and puts the whole copy in its place: after that the backup is
 * there.
 */
const publish = (unfinished: string, to: string, manifest: BackupManifest): void => {
  reserveName(to);
  try {
    writeBackupManifest(to, manifest);
    renameSync(unfinished, to);
  } catch (error) {
    rmSync(to);
    throw error;
  }
  syncToDisk(dirname(to));
};

/**
 * @param write writes what is backed up into a new file
 * @param help says what to do where the event log is damaged
 */
const makeBackup = async (
  to: string,
  write: (unfinished: string) => Promise<void> | void,
  help = '',
): Promise<BackupManifest> => {
  const unfinished = `${to}.unfinished-${randomUUID()}`;
  try {
    await write(unfinished);
    await refuseUnsound(unfinished, help);
    syncToDisk(unfinished);
    const manifest = {
      ...countLogContent(unfinished),
      ...(await sizeAndChecksumOfFile(unfinished)),
      at: systemClock().toISOString(),
    };
    publish(unfinished, to, manifest);
    return manifest;
  } catch (error) {
    removeDatabase(unfinished);
    const isDamage = fileFailureOf(error) === 'damaged';
    throw error instanceof CliError
      ? error
      : new CliError(`There is no backup: ${oneLineReason(error)}${isDamage ? help : ''}`);
  }
};

const copyOf = (file: string) => (unfinished: string) => {
  // SQLite writes into an empty file.
  replaceWithEmptyFile(unfinished);
  copySnapshot(file, unfinished);
};

/** Makes a salvaged log, in which that is recorded, as the damaged one may take no events. `lines` say what is lost. */
const makeSalvaged = async (
  file: string,
  to: string,
): Promise<BackupManifest & { readonly lines: readonly string[] }> => {
  let lines: readonly string[] = [];
  const manifest = await makeBackup(to, async (unfinished) => {
    lines = await salvageToFile(file, unfinished);
    if (countLogContent(unfinished).events === 0) throw new Error(`no event of ${file} can be read`);
    const act = { operation: 'backup', parameters: { to: resolve(to), salvage: true } } as const;
    await createCliAudit({ kind: 'sqlite', path: unfinished })(act, () => Promise.resolve());
  });
  return { ...manifest, lines };
};

/**
 * `hiring backup`: the event log as it is at one moment, with its idempotency records, in one file with a manifest
 * beside it; the service may be running. All else that is stored is made from it. Resolves to whether all of it is
 * there: of a damaged one, `--salvage` backs up what can be read, and says what cannot.
 */
export const backup = async (terminal: Terminal, options: BackupOptions): Promise<boolean> => {
  const { to } = options;
  const config = loadExistingLogConfig(terminal);
  const { eventStore } = config.stores;
  const file = eventFileOf(eventStore, 'backup');
  for (const name of [to, manifestFileOf(to)])
    if (lstatSync(name, { throwIfNoEntry: false })) throw nameTaken(to, name);
  if (!existsSync(dirname(to))) throw new CliError(`--to names ${to}, whose directory is not there`);
  // What is backed up must not take the place of a sound backup unseen.
  await refuseUnknownLog(config);
  const act = { operation: 'backup', parameters: { to: resolve(to) } } as const;
  const { position, events, lines } =
    options.salvage && (await isLogDamaged(file))
      ? await makeSalvaged(file, to)
      : await createCliAudit(eventStore)(
          act,
          async () => ({ ...(await makeBackup(to, copyOf(file), SALVAGE)), lines: [] }),
          (made) => made.position,
        );
  print(terminal.stdout, [...lines, `${to}: ${events} events up to position ${position}; ${manifestFileOf(to)}`]);
  return lines.length === 0;
};
