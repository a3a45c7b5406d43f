import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** What SQLite adds to the name of a database. */
const SUFFIXES: readonly string[] = ['-wal', '-shm', '-journal'];

/** Names the boot of the machine where the system tells it, else this process. */
const bootId = (): string => {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return randomUUID();
  }
};
const BOOT = bootId();
const BUILDING = '.building-';
const DAMAGED = '.damaged';
const BESIDE: readonly string[] = [...SUFFIXES, DAMAGED];

/** Removes a database, if it is there. */
export const removeFile = (file: string): void => {
  for (const suffix of ['', ...SUFFIXES]) rmSync(file + suffix, { force: true });
};

/**
 * Renames a damaged database, so that an operator can look at it; replaces one renamed before.
 *
 * @returns the new name
 */
export const setAside = (file: string): string => {
  renameSync(file, file + DAMAGED);
  removeFile(file);
  return file + DAMAGED;
};

/**
 * The names of the files of read models, one for each projection.
 *
 * @param path `…/read-models.db` for files as `…/read-models.db.posting-candidates@2.1`
 */
export const namesOfFiles = (path: string) => {
  const directory = dirname(path);
  const start = `${basename(path)}.`;
  const all = (): string[] =>
    existsSync(directory) ? readdirSync(directory).filter((name) => name.startsWith(start)) : [];
  return {
    /** The file of a complete read model. */
    whole: (projection: string): string => `${path}.${projection}`,
    /** The file during a build. Its commits are not synced, so one from before the last boot is of no use. */
    building: (projection: string): string => `${path}.${projection}${BUILDING}${BOOT}`,
    /** The projections with a complete file. */
    projections: (): string[] =>
      all()
        .filter((name) => !name.includes(BUILDING) && !BESIDE.some((suffix) => name.endsWith(suffix)))
        .map((name) => name.slice(start.length)),
    /** The files of builds from before the last boot. */
    ofOtherBoots: (projection: string): string[] =>
      all()
        .filter((name) => name.startsWith(`${start}${projection}${BUILDING}`) && !name.includes(BOOT))
        .map((name) => join(directory, name)),
  };
};
