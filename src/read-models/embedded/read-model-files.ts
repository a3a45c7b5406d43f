import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DAMAGED_SUFFIX, removeDatabase, SQLITE_SUFFIXES } from '../../sqlite/files.ts';

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
/** The ends of the names of builds' files, of whole ones and of those under way. */
const OF_BUILD = /@\d+\.\d+(?:\.building-[^.]+)?$/;
/** The ends of the names of what SQLite or a renaming puts beside a file. */
const BESIDE: readonly string[] = [...SQLITE_SUFFIXES, DAMAGED_SUFFIX];

/**
 * The names of the files of read models, one for each projection.
 *
 * @param path `…/read-models.db` for files as `…/read-models.db.posting-candidates@2.1`
 */
export const createReadModelFileCatalog = (path: string) => {
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
    /** The builds with a complete file: a file of another name is a copy that an operator has made. */
    builds: (): string[] =>
      all()
        .filter((name) => OF_BUILD.test(name) && !name.includes(BUILDING))
        .map((name) => name.slice(start.length)),
    /** Removes the files of all builds, but no copies that an operator has made. */
    removeAll: (): void => {
      for (const name of all()) if (OF_BUILD.test(name)) removeDatabase(join(directory, name));
    },
    /** The files of builds from before the last boot. */
    ofOtherBoots: (projection: string): string[] =>
      all()
        .filter((name) => name.startsWith(`${start}${projection}${BUILDING}`) && !name.includes(BOOT))
        .map((name) => join(directory, name)),
  };
};
