import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { closeAfter, hasTable, openReader } from '../../sqlite/connections.ts';

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
/** Whether a file of SQLite has something in its write-ahead log. */
export const hasWalContent = (file: string): boolean => sizeOf(`${file}-wal`) > 0;
const namesIn = (directory: string): readonly string[] => (existsSync(directory) ? readdirSync(directory) : []);

/** What a directory holds once a process has taken it. */
const OF_OWNER = /^owner\.(?:lock(?:-journal)?|pid)$/;

/** Why a file is no event log with events, in words; undefined where it is one. */
export const diagnoseMissingLog = (
  file: string,
): { readonly text: string; readonly hasTables: boolean } | undefined => {
  const noTables = (text: string) => ({ text, hasTables: false });
  if (!existsSync(file)) {
    const directory = dirname(file);
    return namesIn(directory).every((name) => OF_OWNER.test(name))
      ? noTables(`${directory} is empty, or not mounted`)
      : noTables(`${file} is not there`);
  }
  if (sizeOf(file) === 0 && !hasWalContent(file)) return noTables(`${file} is empty`);
  return closeAfter(openReader(file), (reader) => {
    if (!hasTable(reader, 'events'))
      return noTables(`${file} has no tables, as one that was copied without its -wal file`);
    return reader.prepare('SELECT 1 FROM events LIMIT 1').raw().all([]).length === 0
      ? { text: `${file} holds no events`, hasTables: true }
      : undefined;
  });
};

/**
 * Files that say that an event log was at a path: its write-ahead log, what `hiring restore` has set aside, and backups
 * with their manifests. Undefined where there are none.
 */
export const findLogEvidence = (file: string): string | undefined => {
  const [directory, own] = [dirname(file), basename(file)];
  const names = new Set(namesIn(directory));
  const isEvidence = (name: string): boolean =>
    name.startsWith(`${own}.`) || (name !== own && names.has(`${name}.json`));
  if (sizeOf(file) === 0 && hasWalContent(file)) return `${file}-wal`;
  const found = [...names].find(isEvidence);
  return found === undefined ? undefined : join(directory, found);
};
