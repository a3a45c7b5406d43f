import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { parseRecord } from '../../src/build-registry/registry.ts';
import type { Build, RegistryRecord } from '../../src/build-registry/build.ts';
import type { Quarantined } from '../../src/rebuilds/overview.ts';
import { readEmbeddedCheckpoints } from '../../src/read-models/embedded/file-readers.ts';
import { killLeftProcesses, runCli } from '../support/process.ts';

/** The members of a line of `hiring projections list --json` that tests compare. */
export interface Listed {
  readonly projection: string;
  readonly build: string | null;
  readonly state: string;
  readonly lagEvents: number;
  readonly pausedSince: string | null;
  readonly quarantined: readonly Quarantined[];
}

/** Every projection, in the order of the list. */
export const everyName = [
  'posting-candidates',
  'professional-candidates',
  'saved-postings',
  'professional-profiles',
  'specialties',
] as const;
/** The projections that have not changed since the world was made. */
export const untouched = [
  'posting-candidates@2.1 live',
  'professional-candidates@2.1 live',
  'saved-postings@2.1 live',
  'professional-profiles@1.1 live',
  'specialties@1.1 live',
] as const;

export const jsonLines = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);

/** A data directory with a small world in it, for one test. */
export interface World {
  readonly directory: string;
  readonly projections: (...args: string[]) => ReturnType<typeof runCli>;
  readonly listed: () => Promise<Listed[]>;
  /** `<build> <state>` of the builds of one projection, or of all. */
  readonly builds: (projection?: string) => Promise<string[]>;
  /** The build registry's record of a projection, read from the file. */
  readonly record: (projection: string) => RegistryRecord | undefined;
  /** The streams that are parked in each build of a projection, read from the file. */
  readonly parked: (projection: string) => { readonly id: string; readonly streams: readonly string[] }[];
  /** The standby build of a projection. */
  readonly next: (projection: string) => Build | undefined;
  /** Changes what is stored without telling the service. */
  readonly execute: (file: 'read-models.db.specialties@1.1' | 'events.db', sql: string) => void;
}

const worldIn = (directory: string): World => {
  const projections = (...args: string[]) => runCli(directory, ['projections', ...args]);
  const listed = async () => JSON.parse((await projections('list', '--json')).stdout) as Listed[];
  const record = (projection: string) => {
    const database = new Database(join(directory, 'projections.db'), { timeout: 5_000 });
    try {
      const row = database.prepare('SELECT entry FROM catalogue WHERE name = ?').raw().get([projection]) as
        readonly [string] | undefined;
      return row && parseRecord(JSON.parse(row[0]));
    } finally {
      database.close();
    }
  };
  return {
    directory,
    projections,
    listed,
    builds: async (projection) =>
      (await listed())
        .filter((line) => projection === undefined || line.projection === projection)
        .map(({ build, state }) => `${build ?? 'none'} ${state}`),
    record,
    parked(projection) {
      const checkpoints = readEmbeddedCheckpoints(join(directory, 'read-models.db'));
      return (record(projection)?.builds ?? []).map(({ id }) => ({
        id,
        streams: (checkpoints.get(id)?.parked ?? []).map(({ stream }) => stream),
      }));
    },
    next(projection) {
      const found = record(projection);
      return found?.builds.find(({ id, step }) => id !== found.active && step !== 'discarded');
    },
    execute(file, sql) {
      const database = new Database(join(directory, file));
      try {
        database.exec(sql);
      } finally {
        database.close();
      }
    },
  };
};

/** Makes one world for a suite; each test gets a copy of its own. */
export const worlds = () => {
  const made: string[] = [];
  const newDirectory = async (): Promise<string> => {
    const directory = await mkdtemp(join(tmpdir(), 'hiring-projections-'));
    made.push(directory);
    return directory;
  };
  let original = '';
  return {
    make: async (): Promise<void> => {
      original = await newDirectory();
      const { code, stderr } = await runCli(original, ['seed', '--candidates', '20']);
      if (code !== 0) throw new Error(stderr);
    },
    copy: async (): Promise<World> => {
      const directory = await newDirectory();
      await cp(original, directory, { recursive: true });
      return worldIn(directory);
    },
    empty: async (): Promise<World> => worldIn(await newDirectory()),
    end: async (): Promise<void> => {
      killLeftProcesses();
      for (const directory of made) await rm(directory, { recursive: true, force: true });
    },
  };
};
