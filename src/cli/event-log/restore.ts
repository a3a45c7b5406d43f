import { accessSync, constants, createReadStream, createWriteStream, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { loadEventLogConfig } from '../../config/config.ts';
import { countLogContent, replaceLogFile } from '../../event-store/embedded/backup.ts';
import { hasWalContent, diagnoseMissingLog } from '../../event-store/embedded/log-file.ts';
import { readRecordedLosses } from '../../event-store/embedded/lost-ranges.ts';
import {
  toLogIdentityReader,
  compareLogIdentity,
  describeMissingEvents,
  readLastEventPointer,
  type LogIdentityComparison,
  type SeenLogPointers,
} from '../../event-store/identity.ts';
import { describeLostPart } from '../../event-store/events-or-loss.ts';
import type { EventLog } from '../../event-store/port.ts';
import { using } from '../../lib/using.ts';
import { unregisterLogIdentity, readSeenByBuilds } from '../../log-identity/seen-by-builds.ts';
import { systemClock } from '../../ports/clock.ts';
import { createReadModelFileCatalog } from '../../read-models/embedded/read-model-files.ts';
import { findIntegrityFaults } from '../../sqlite/integrity.ts';
import { openConcurrentEventLog, type ReadModelSettings } from '../../stores.ts';
import { toCliError, createCliAudit } from '../parts/audit.ts';
import { CliError, oneLineReason } from '../parts/cli-error.ts';
import { lockDataDirectories } from '../parts/data-directories.ts';
import { eventFileOf } from '../parts/event-file.ts';
import { readBackupManifest, type BackupManifest } from '../parts/backup-manifest.ts';
import { fileAccessIn } from '../../lib/file-access.ts';
import { sizeAndChecksumOfFile } from '../../lib/file-checksum.ts';
import { removeAndCreateFile, syncToDisk } from '../../lib/files.ts';
import { removeDatabase, SQLITE_SUFFIXES } from '../../sqlite/files.ts';
import { loadTerminalEnvironment, type Terminal } from '../parts/terminal.ts';
import { print } from '../parts/print.ts';

export interface RestoreOptions {
  readonly from: string;
  readonly replace?: true;
}

/** @param copy of the backup @throws CliError for a backup that is not the one of its manifest */
const refuseOther = async (
  backup: string,
  copy: string,
  { bytes, sha256, position }: BackupManifest,
): Promise<void> => {
  const sum = await sizeAndChecksumOfFile(copy);
  const other = `${backup} is not the backup that its manifest tells of`;
  if (sum.bytes !== bytes) throw new CliError(`${other}: it has ${sum.bytes} of ${bytes} bytes`);
  if (sum.sha256 !== sha256) throw new CliError(`${other}: its checksum is another one`);
  if (countLogContent(copy).position !== position)
    throw new CliError(`${backup} does not end where its manifest says: at position ${position}`);
};

/** What is at the place of the event log; `loss`: what of it the backup does not hold, in words. */
interface ReplacedLog {
  readonly isDamaged: boolean;
  readonly loss: string | undefined;
}

const NOTHING_THERE: ReplacedLog = { isDamaged: false, loss: undefined };

const openFile = (path: string) => openConcurrentEventLog({ kind: 'sqlite', path }, () => undefined);

/** All that an event log holds, as if somebody had seen it. */
const seenWhole = async (log: EventLog): Promise<SeenLogPointers> => ({
  first: await toLogIdentityReader(log).first(),
  last: (await readLastEventPointer(log)) ?? null,
});

/** What a backup lacks of what was seen, in words; undefined where it lacks nothing. */
const lackOf = (backup: string, seen: SeenLogPointers): Promise<string | undefined> =>
  using(openFile(backup), async (log) => {
    const comparison: LogIdentityComparison = await compareLogIdentity(seen, toLogIdentityReader(log));
    switch (comparison.kind) {
      case 'same':
        return undefined;
      case 'older':
        return `holds events that the backup does not hold (${await describeMissingEvents(log, comparison.lacks)})`;
      case 'other':
        return `holds another event log, ${comparison.expected} (that of the backup is ${comparison.found})`;
      case 'gone':
        return 'holds events, and the backup none';
    }
  });

const examineReplacedLog = async (file: string, restored: string): Promise<ReplacedLog> => {
  const parts = ['', ...SQLITE_SUFFIXES].filter((suffix) => existsSync(file + suffix));
  if (parts.length === 0) return NOTHING_THERE;
  // Of what cannot be opened nothing is known.
  for (const suffix of parts) accessSync(file + suffix, constants.R_OK | constants.W_OK);
  try {
    const missing = diagnoseMissingLog(file);
    if (missing)
      return !missing.hasTables && hasWalContent(file)
        ? { isDamaged: true, loss: 'is gone, and its -wal is there' }
        : NOTHING_THERE;
    if (findIntegrityFaults(file).length > 0) return { isDamaged: true, loss: 'is damaged' };
    const seen = await using(openFile(file), seenWhole);
    return { isDamaged: false, loss: await lackOf(restored, seen) };
  } catch {
    return { isDamaged: true, loss: 'is damaged' };
  }
};

/** @throws CliError where events would be lost that the backup does not hold */
const refuseLoss = (file: string, { loss }: ReplacedLog): void => {
  if (loss === undefined) return;
  throw new CliError(
    `${file} ${loss}: nothing was changed; with --replace it is kept under another name, and replaced`,
  );
};

/** Read models are made from the event log: the next start builds them anew. */
const removeReadModels = (settings: ReadModelSettings): void => {
  if (settings.kind !== 'sqlite') return;
  const names = createReadModelFileCatalog(settings.path);
  for (const projection of names.projections()) removeDatabase(names.whole(projection));
};

/**
 * `hiring restore`: puts a backup in the place of the event log, while no service runs. It is recorded in the event log
 * that is restored. Read models are removed, and built anew by the next start.
 */
export const restore = async (terminal: Terminal, { from, replace }: RestoreOptions): Promise<void> => {
  const { stores } = loadEventLogConfig(loadTerminalEnvironment(terminal));
  const file = eventFileOf(stores.eventStore, 'restore');
  const manifest = readBackupManifest(from);
  if (!existsSync(from)) throw new CliError(`--from names ${from}, which is not there`);
  const giveBack = lockDataDirectories([stores.eventStore, stores.readModels]);
  const unfinished = `${file}.restoring`;
  try {
    removeDatabase(unfinished);
    await pipeline(
      createReadStream(from),
      createWriteStream('', { fd: removeAndCreateFile(unfinished, undefined, fileAccessIn(dirname(file))) }),
    );
    await refuseOther(from, unfinished, manifest);
    const isThere = existsSync(file);
    const there = await examineReplacedLog(file, unfinished);
    if (!replace) refuseLoss(file, there);
    // Of an event log that is gone, its builds may have seen more than the backup holds.
    const loss = isThere ? undefined : await lackOf(unfinished, await readSeenByBuilds(stores.readModels));
    const replacedFile = `${file}.replaced-${systemClock().toISOString().replace(/[:.]/g, '-')}`;
    const operation = { operation: 'restore', parameters: { from: resolve(from) } } as const;
    // Recorded in the file that is to be the event log; what follows is one rename.
    await createCliAudit({ kind: 'sqlite', path: unfinished })(operation, () => Promise.resolve());
    syncToDisk(unfinished);
    for (const { where, what } of readRecordedLosses(unfinished).map(describeLostPart))
      print(terminal.stderr, `hiring: the backup lacks ${where}: ${what}`);
    if (loss !== undefined) print(terminal.stderr, `hiring: what was made from the event log that is gone ${loss}`);
    removeReadModels(stores.readModels);
    await unregisterLogIdentity(stores.readModels);
    replaceLogFile(unfinished, file, replacedFile, there.isDamaged);
    syncToDisk(dirname(file));
    const kept = isThere ? `; what was there is kept as ${replacedFile}` : '';
    print(terminal.stdout, `${file}: ${manifest.events} events up to position ${manifest.position}${kept}`);
  } catch (error) {
    const cliError = toCliError(error);
    throw cliError instanceof CliError ? cliError : new CliError(`Nothing was restored: ${oneLineReason(error)}`);
  } finally {
    removeDatabase(unfinished);
    giveBack();
  }
};
