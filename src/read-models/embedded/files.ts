import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** What SQLite adds to the name of a database. */
const SUFFIXES: readonly string[] = ['-wal', '-shm', '-journal'];

/** Since the machine was started, where it says so; of this process otherwise. */
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
 * Puts a damaged database out of the way, where an operator can look at it; the one before goes.
 *
 * @returns its name from then on
 */
export const setAside = (file: string): string => {
  renameSync(file, file + DAMAGED);
  removeFile(file);
  return file + DAMAGED;
};

/**
 * The names of the files of read models: one for each projection, beside each other.
 *
 * @param path `…/read-models.db` for files as `…/read-models.db.posting-candidates@2.1`
 */
export const namesOfFiles = (path: string) => {
  const directory = dirname(path);
  const start = `${basename(path)}.`;
  const all = (): string[] =>
    existsSync(directory) ? readdirSync(directory).filter((name) => name.startsWith(start)) : [];
  return {
    /** Of what is built. */
    whole: (projection: string): string => `${path}.${projection}`,
    /** While it is built. Commits are not written to disk then: one from before the machine was last started is of no use. */
    building: (projection: string): string => `${path}.${projection}${BUILDING}${BOOT}`,
    /** The projections of which there is a file that is whole. */
    projections: (): string[] =>
      all()
        .filter((name) => !name.includes(BUILDING) && !BESIDE.some((suffix) => name.endsWith(suffix)))
        .map((name) => name.slice(start.length)),
    /** What was being built when the machine was stopped. */
    ofOtherBoots: (projection: string): string[] =>
      all()
        .filter((name) => name.startsWith(`${start}${projection}${BUILDING}`) && !name.includes(BOOT))
        .map((name) => join(directory, name)),
  };
};
