import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { invalid } from '../../errors/domain-error.ts';
import { unfinishedName, type FileOperations } from '../../lib/files.ts';
import { exportedFilesByName, MANIFEST_FILE, type ExportManifest } from './manifest.ts';

/** Names that an export gives, and no other file should have. */
const OWN_NAMES = /^(?:events\.ndjson|cases\.csv|\w+-\d{5}\.(?:csv|parquet)|.+\.unfinished(?:-journal|-wal|-shm)?)$/;
/** Files of a lock of the directory. */
const LOCK_NAMES = /^owner\./;

/** @throws DomainError for a directory that holds something else than an export */
export const refuseOtherFiles = (directory: string): void => {
  const strangers = readdirSync(directory).filter(
    (name) => !LOCK_NAMES.test(name) && name !== unfinishedName(MANIFEST_FILE),
  );
  if (strangers.length > 0)
    throw invalid(
      `${directory} holds files (${strangers[0] ?? ''}), but no export; allowed: an empty or new directory, or one with an export`,
    );
};

/** Deletes what an unfinished run has left. @throws DomainError where a file of the export is missing or too short */
export const removeLeftOver = ({ rmSync }: FileOperations, directory: string, manifest: ExportManifest): void => {
  const files = exportedFilesByName(manifest);
  for (const { name, bytes } of files.values()) {
    const size = statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0;
    if (size < bytes)
      throw invalid(
        `${join(directory, name)} has ${size} bytes of the ${bytes} that the manifest tells; allowed: another directory`,
      );
  }
  for (const name of readdirSync(directory))
    if (OWN_NAMES.test(name) && !files.has(name)) rmSync(join(directory, name), { recursive: true, force: true });
};
