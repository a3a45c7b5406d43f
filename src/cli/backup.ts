import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, lstatSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { contentOf, copyAtOneMoment } from '../event-store/embedded/backup.ts';
import { systemClock } from '../ports/clock.ts';
import { verifyLog } from '../event-store/embedded/verify.ts';
import { LogDamaged } from '../event-store/port.ts';
import { asCliError, auditedIn } from './parts/audit.ts';
import { refuseUnknownLog } from './parts/known-log.ts';
import { CliError, oneLine, reasonOf } from './parts/cli-error.ts';
import { eventFileOf, logConfigOf } from './parts/event-file.ts';
import { manifestOf, sumOf, writeManifest, type Manifest } from './parts/manifest.ts';
import { createFile, makeNew, syncToDisk } from '../lib/new-file.ts';
import { removeDatabase } from '../sqlite/files.ts';
import type { Terminal } from './parts/terminal.ts';
import { print } from './parts/print.ts';

export interface BackupOptions {
  readonly to: string;
}

/** @throws CliError for a copy that is not sound: the event log is damaged */
const refuseUnsound = async (file: string): Promise<void> => {
  for await (const damage of verifyLog(file, new AbortController().signal))
    throw new CliError(
      `The backup is not sound, and is removed: ${oneLine(new LogDamaged(damage).message)}; see hiring check`,
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
const take = (to: string): void => {
  try {
    closeSync(createFile(to));
  } catch (error) {
    throw existsSync(to) ? nameTaken(to) : error;
  }
};

/** Takes the name by an empty file, writes the manifest, and puts the whole copy in its place: after that the backup is there. */
const publish = (unfinished: string, to: string, manifest: Manifest): void => {
  take(to);
  try {
    writeManifest(to, manifest);
    renameSync(unfinished, to);
  } catch (error) {
    rmSync(to);
    throw error;
  }
  syncToDisk(dirname(to));
};

const make = async (file: string, to: string): Promise<Manifest> => {
  const unfinished = `${to}.unfinished-${randomUUID()}`;
  try {
    // SQLite writes into an empty file.
    makeNew(unfinished);
    copyAtOneMoment(file, unfinished);
    await refuseUnsound(unfinished);
    syncToDisk(unfinished);
    const content = contentOf(unfinished);
    const manifest = { ...content, ...(await sumOf(unfinished)), at: systemClock().toISOString() };
    publish(unfinished, to, manifest);
    return manifest;
  } catch (error) {
    removeDatabase(unfinished);
    throw error instanceof CliError ? error : new CliError(`There is no backup: ${reasonOf(error)}`);
  }
};

/**
 * `hiring backup`: the event log as it is at one moment, with its idempotency records, in one file with a manifest
 * beside it; the service may be running. All else that is stored is made from it.
 */
export const backup = async (terminal: Terminal, { to }: BackupOptions): Promise<void> => {
  const config = logConfigOf(terminal);
  const { eventStore } = config.stores;
  const file = eventFileOf(eventStore, 'backup');
  for (const name of [to, manifestOf(to)])
    if (lstatSync(name, { throwIfNoEntry: false })) throw nameTaken(to, name);
  if (!existsSync(dirname(to))) throw new CliError(`--to names ${to}, whose directory is not there`);
  try {
    // What is backed up must not take the place of a sound backup unseen.
    await refuseUnknownLog(config);
    const asked = { operation: 'backup', parameters: { to: resolve(to) } } as const;
    const { position, events } = await auditedIn(eventStore)(
      asked,
      () => make(file, to),
      (made) => made.position,
    );
    print(terminal.stdout, `${to}: ${events} events up to position ${position}; ${manifestOf(to)}`);
  } catch (error) {
    throw asCliError(error);
  }
};
