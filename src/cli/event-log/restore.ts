import { accessSync, constants, createReadStream, createWriteStream, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { contentOf, putInPlace } from '../../event-store/embedded/backup.ts';
import { hasWal, missingIn } from '../../event-store/embedded/log-file.ts';
import { lostPartsIn } from '../../event-store/embedded/lost-ranges.ts';
import {
  comparedLog,
  compareLog,
  lackText,
  lastOf,
  type LogComparison,
  type SeenLog,
} from '../../event-store/identity.ts';
import { lostInWords } from '../../event-store/salvaged-part.ts';
import type { EventLog } from '../../event-store/port.ts';
import { using } from '../../lib/using.ts';
import { forgetLog, seenBy } from '../../log-identity/seen.ts';
import { systemClock } from '../../ports/clock.ts';
import { namesOfFiles } from '../../read-models/embedded/files.ts';
import { integrityFaults } from '../../sqlite/integrity.ts';
import { openLog, type ReadModelSettings } from '../../stores.ts';
import { asCliError, auditedIn } from '../parts/audit.ts';
import { CliError, reasonOf } from '../parts/cli-error.ts';
import { lockDataDirectories } from '../parts/data-directories.ts';
import { eventFileOf } from '../parts/event-file.ts';
import { readManifest, sumOf, type Manifest } from '../parts/manifest.ts';
import { accessIn } from '../../lib/file-access.ts';
import { replaceFile, syncToDisk } from '../../lib/files.ts';
import { removeDatabase, SUFFIXES } from '../../sqlite/files.ts';
import { storesOf, type Terminal } from '../parts/terminal.ts';
import { print } from '../parts/print.ts';

export interface RestoreOptions {
  readonly from: string;
  readonly replace?: true;
}

/** @param copy of the backup @throws CliError for a backup that is not the one of its manifest */
const refuseOther = async (
  backup: string,
  copy: string,
  { bytes, sha256, position }: Manifest,
): Promise<void> => {
  const sum = await sumOf(copy);
  const other = `${backup} is not the backup that its manifest tells of`;
  if (sum.bytes !== bytes) throw new CliError(`${other}: it has ${sum.bytes} of ${bytes} bytes`);
  if (sum.sha256 !== sha256) throw new CliError(`${other}: its checksum is another one`);
  if (contentOf(copy).position !== position)
    throw new CliError(`${backup} does not end where its manifest says: at position ${position}`);
};

/** What is at the place of the event log; `loss`: what of it the backup does not hold, in words. */
interface There {
  readonly isDamaged: boolean;
  readonly loss: string | undefined;
}

const NOTHING_THERE: There = { isDamaged: false, loss: undefined };

const openFile = (path: string) => openLog({ kind: 'sqlite', path }, () => undefined);

/** All that an event log holds, as if somebody had seen it. */
const seenWhole = async (log: EventLog): Promise<SeenLog> => ({
  first: await comparedLog(log).first(),
  last: (await lastOf(log)) ?? null,
});

/** What a backup lacks of what was seen, in words; undefined where it lacks nothing. */
const lackOf = (backup: string, seen: SeenLog): Promise<string | undefined> =>
  using(openFile(backup), async (log) => {
    const comparison: LogComparison = await compareLog(seen, comparedLog(log));
    switch (comparison.kind) {
      case 'same':
        return undefined;
      case 'older':
        return `holds events that the backup does not hold (${await lackText(log, comparison.lacks)})`;
      case 'other':
        return `holds another event log, ${comparison.expected} (that of the backup is ${comparison.found})`;
      case 'gone':
        return 'holds events, and the backup none';
    }
  });

const whatIsAt = async (file: string, restored: string): Promise<There> => {
  const parts = ['', ...SUFFIXES].filter((suffix) => existsSync(file + suffix));
  if (parts.length === 0) return NOTHING_THERE;
  // Of what cannot be opened nothing is known.
  for (const suffix of parts) accessSync(file + suffix, constants.R_OK | constants.W_OK);
  try {
    const missing = missingIn(file);
    if (missing)
      return !missing.hasTables && hasWal(file)
        ? { isDamaged: true, loss: 'is gone, and its -wal is there' }
        : NOTHING_THERE;
    if (integrityFaults(file).length > 0) return { isDamaged: true, loss: 'is damaged' };
    const seen = await using(openFile(file), seenWhole);
    return { isDamaged: false, loss: await lackOf(restored, seen) };
  } catch {
    return { isDamaged: true, loss: 'is damaged' };
  }
};

/** @throws CliError where events would be lost that the backup does not hold */
const refuseLoss = (file: string, { loss }: There): void => {
  if (loss === undefined) return;
  throw new CliError(
    `${file} ${loss}: nothing was changed; with --replace it is kept under another name, and replaced`,
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
  const stores = storesOf(terminal);
  const file = eventFileOf(stores.eventStore, 'restore');
  const manifest = readManifest(from);
  if (!existsSync(from)) throw new CliError(`--from names ${from}, which is not there`);
  const giveBack = lockDataDirectories([stores.eventStore, stores.readModels]);
  const unfinished = `${file}.restoring`;
  try {
    removeDatabase(unfinished);
    await pipeline(
      createReadStream(from),
      createWriteStream('', { fd: replaceFile(unfinished, undefined, accessIn(dirname(file))) }),
    );
    await refuseOther(from, unfinished, manifest);
    const isThere = existsSync(file);
    const there = await whatIsAt(file, unfinished);
    if (!replace) refuseLoss(file, there);
    // Of an event log that is gone, its builds may have seen more than the backup holds.
    const loss = isThere ? undefined : await lackOf(unfinished, await seenBy(stores.readModels));
    const replacedFile = `${file}.replaced-${systemClock().toISOString().replace(/[:.]/g, '-')}`;
    const operation = { operation: 'restore', parameters: { from: resolve(from) } } as const;
    // Recorded in the file that is to be the event log; what follows is one rename.
    await auditedIn({ kind: 'sqlite', path: unfinished })(operation, () => Promise.resolve());
    syncToDisk(unfinished);
    for (const { where, what } of lostPartsIn(unfinished).map(lostInWords))
      print(terminal.stderr, `hiring: the backup lacks ${where}: ${what}`);
    if (loss !== undefined)
      print(terminal.stderr, `hiring: what was made from the event log that is gone ${loss}`);
    removeReadModels(stores.readModels);
    await forgetLog(stores.readModels);
    putInPlace(unfinished, file, replacedFile, there.isDamaged);
    syncToDisk(dirname(file));
    const kept = isThere ? `; what was there is kept as ${replacedFile}` : '';
    print(terminal.stdout, `${file}: ${manifest.events} events up to position ${manifest.position}${kept}`);
  } catch (error) {
    const cliError = asCliError(error);
    throw cliError instanceof CliError ? cliError : new CliError(`Nothing was restored: ${reasonOf(error)}`);
  } finally {
    removeDatabase(unfinished);
    giveBack();
  }
};
