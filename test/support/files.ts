import { statSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory that is made and deleted by a suite's hooks. */
const directoryBetween = (make: Mocha.HookFunction, remove: Mocha.HookFunction, prefix: string) => {
  let directory = '';
  make(async () => void (directory = await mkdtemp(join(tmpdir(), prefix))));
  remove(() => rm(directory, { recursive: true, force: true }));
  return () => directory;
};

/** A directory of its own for each test of a suite. */
export const directoryForEach = (prefix: string): (() => string) => directoryBetween(beforeEach, afterEach, prefix);

/** One directory for all tests of a suite. */
export const directoryForAll = (prefix: string): (() => string) => directoryBetween(before, after, prefix);

/** The files of a directory that other users may read or write. */
export const openToOthersIn = async (directory: string): Promise<readonly string[]> => {
  // SQLite may have removed a journal since the listing.
  const modeOf = (name: string) => statSync(join(directory, name), { throwIfNoEntry: false })?.mode ?? 0;
  return (await readdir(directory)).filter((name) => (modeOf(name) & 0o077) !== 0);
};
