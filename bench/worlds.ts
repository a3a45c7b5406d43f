import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { copyFile, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openEmbeddedEventStore } from '../src/event-store/embedded/event-store.ts';
import { seedWorld } from '../src/tools/seed/seed.ts';

/** Makes the log of a world in an empty directory. */
export type MakeWorld = (directory: string, events: number) => Promise<void>;

/** Of a seeded world; it is the same for every size from some thousand candidates on. */
const EVENTS_FOR_EACH_CANDIDATE = 4.6;

/** The world of `hiring seed`, through the service's command handlers, without read models. */
const seedLog: MakeWorld = async (directory, events) => {
  const eventStore = await openEmbeddedEventStore(join(directory, 'events.db'));
  try {
    const candidates = Math.round(events / EVENTS_FOR_EACH_CANDIDATE);
    await seedWorld({ eventStore, options: { candidates, seed: 1 } });
  } finally {
    await eventStore.close();
  }
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** A directory of this process, beside which those of processes that were killed are removed. */
export const directoryOfProcess = async (parent: string, name: string): Promise<string> => {
  mkdirSync(parent, { recursive: true });
  const prefix = `${name}-of-`;
  for (const entry of readdirSync(parent))
    if (entry.startsWith(prefix) && !isAlive(Number(entry.slice(prefix.length))))
      await rm(join(parent, entry), { recursive: true, force: true });
  const directory = join(parent, `${prefix}${process.pid}`);
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory);
  return directory;
};

/**
 * The directory of a world, which is made when it is not there. It gets its name when it is whole: a run that is killed
 * leaves no half of a world behind.
 *
 * @param events about how many the log has
 */
export const openWorld = async (cache: string, events: number, make: MakeWorld = seedLog): Promise<string> => {
  const directory = join(cache, String(events));
  if (existsSync(directory)) return directory;
  const unfinished = await directoryOfProcess(cache, 'unfinished');
  try {
    await make(unfinished, events);
    await rename(unfinished, directory);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return directory;
};

/** The files of a world, with what SQLite keeps beside them. */
const filesOf = {
  all: /^(events\.db(-wal)?|projections\.db|read-models\.db\..*)(?<!-shm)$/,
  readModels: /^read-models\.db\..*(?<!-shm)$/,
} as const;

/** Copies files of a world that no process has open, for a figure that writes. Resolves once they are on the disk. */
export const copyWorld = async (world: string, into: string, files: keyof typeof filesOf = 'all'): Promise<void> => {
  await mkdir(into, { recursive: true });
  for (const name of readdirSync(world))
    if (filesOf[files].test(name)) {
      const copied = join(into, name);
      await copyFile(join(world, name), copied);
      const file = await open(copied, 'r+');
      await file.sync();
      await file.close();
    }
};
