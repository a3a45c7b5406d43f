import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { contentOf, isBeginningOf, putInPlace } from '../event-store/embedded/backup.ts';
import { systemClock } from '../ports/clock.ts';
import { namesOfFiles } from '../read-models/embedded/files.ts';
import { integrityFaults } from '../sqlite/integrity.ts';
import type { ReadModelSettings } from '../stores.ts';
import { asCliError, auditedIn } from './parts/audit.ts';
import { CliError, reasonOf } from './parts/cli-error.ts';
import { takeDataDirectories } from './parts/data-directories.ts';
import { eventFileOf } from './parts/event-file.ts';
import { readManifest, sumOf, type Manifest } from './parts/manifest.ts';
import { accessIn } from '../lib/file-access.ts';
import { openNew, syncToDisk } from '../lib/new-file.ts';
import { removeDatabase } from '../sqlite/files.ts';
import { configOf, type Terminal } from './parts/terminal.ts';
import { print } from './parts/print.ts';

export interface RestoreOptions {
  readonly from: string;
  readonly replace?: true;
}

/** @throws CliError for a file that is not the one of its manifest */
const refuseOther = async (file: string, { bytes, sha256, position }: Manifest): Promise<void> => {
  const sum = await sumOf(file);
  if (sum.bytes !== bytes || sum.sha256 !== sha256)
    throw new CliError(`${file} is not the backup that its manifest tells of: its checksum is another one`);
  if (contentOf(file).position !== position)
    throw new CliError(`${file} does not end where its manifest says: at position ${position}`);
};

type There = 'nothing' | 'its beginning' | 'something else' | 'damaged';

const whatIsAt = (file: string, restored: string): There => {
  if (!existsSync(file)) return 'nothing';
  try {
    if (integrityFaults(file).length > 0) return 'damaged';
    return isBeginningOf(file, restored) ? 'its beginning' : 'something else';
  } catch {
    return 'damaged';
  }
};

/** @throws CliError where events would be lost that the backup does not hold */
const refuseLoss = (file: string, there: There): void => {
  if (there === 'nothing' || there === 'its beginning') return;
  const holds = there === 'damaged' ? 'is damaged' : 'holds events that the backup does not hold';
  throw new CliError(
    `${file} ${holds}: nothing was changed; with --replace it is kept under another name, and replaced`,
  );
};

/** Read models are made from the event log: the next start builds them anew. */
const removeReadModels = (settings: ReadModelSettings): void => {
  if (settings.kind !== 'sqlite') return;
  const names = namesOfFiles(settings.path);
  for (const projection of names.projections()) removeDatabase(names.whole(projection));
};

/**
 * `hiring restore`: puts a backup in the place of the event log, while no service runs. It is recorded in the event log
 * that is restored. Read models are removed, and built anew by the next start.
 */
export const restore = async (terminal: Terminal, { from, replace }: RestoreOptions): Promise<void> => {
  const { stores } = configOf(terminal);
  const file = eventFileOf(stores.eventStore, 'restore');
  const manifest = readManifest(from);
  if (!existsSync(from)) throw new CliError(`--from names ${from}, which is not there`);
  const giveBack = takeDataDirectories([stores.eventStore, stores.readModels]);
  const unfinished = `${file}.restoring`;
  try {
    removeDatabase(unfinished);
    await pipeline(
      createReadStream(from),
      createWriteStream('', { fd: openNew(unfinished, undefined, accessIn(dirname(file))) }),
    );
    await refuseOther(unfinished, manifest);
    const there = whatIsAt(file, unfinished);
    if (!replace) refuseLoss(file, there);
    const keptAs = `${file}.replaced-${systemClock().toISOString().replace(/[:.]/g, '-')}`;
    const asked = { operation: 'restore', parameters: { from: resolve(from) } } as const;
    // Recorded in the file that is to be the event log; what follows is one rename.
    await auditedIn({ kind: 'sqlite', path: unfinished })(asked, () => Promise.resolve());
    syncToDisk(unfinished);
    removeReadModels(stores.readModels);
    putInPlace(unfinished, file, keptAs, there === 'damaged');
    syncToDisk(dirname(file));
    const kept = there === 'nothing' ? '' : `; what was there is kept as ${keptAs}`;
    print(terminal.stdout, `${file}: ${manifest.events} events up to position ${manifest.position}${kept}`);
  } catch (error) {
    const told = asCliError(error);
    throw told instanceof CliError ? told : new CliError(`Nothing was restored: ${reasonOf(error)}`);
  } finally {
    removeDatabase(unfinished);
    giveBack();
  }
};
