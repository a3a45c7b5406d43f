import { cpSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { parseProjectionBuilds } from '../../../src/builds/registry.ts';
import type { Build, ProjectionBuilds } from '../../../src/builds/build-schema.ts';
import type { Position } from '../../../src/event-store/port.ts';
import type { ParkedStreamOverview } from '../../../src/builds/overview.ts';
import { readEmbeddedCheckpoints } from '../../support/embedded-checkpoints.ts';
import { projections as definitions } from '../../../projections/index.ts';
import { readEmbeddedHead } from '../../../src/event-store/embedded/event-store.ts';
import { toPosition } from '../../../src/event-store/embedded/schema.ts';
import { runCli } from '../../support/cli.ts';

/** The members of a line of `hiring projections list --json` that tests compare. */
export interface Listed {
  readonly projection: string;
  readonly build: string | null;
  readonly state: string;
  readonly lagEvents: number;
  readonly pausedSince: string | null;
  readonly quarantined: readonly ParkedStreamOverview[];
}

/** Every projection, in the order of the list. */
export const everyName = definitions.map(({ name }) => name);
/** The name of a projection's nth build of this version of the code. */
export const nth = (name: string, n: number): string =>
  `${name}@${definitions.find((one) => one.name === name)?.version ?? 0}.${n}`;
/** The projections that have not changed since the world was made. */
export const untouched = everyName.map((name) => `${nth(name, 1)} live`);

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
  readonly record: (projection: string) => ProjectionBuilds | undefined;
  /** The streams that are parked in each build of a projection, read from the file. */
  readonly parked: (projection: string) => { readonly id: string; readonly streams: readonly string[] }[];
  /** The standby build of a projection. */
  readonly next: (projection: string) => Build | undefined;
  /** Changes what is stored without telling the service. */
  readonly execute: (file: string, sql: string) => void;
  /** How many events the streams of a category hold. */
  readonly countIn: (category: string) => number;
  /** The position of the last event. */
  readonly head: () => Position;
}

const worldIn = (directory: string): World => {
  const projections = (...args: string[]) => runCli(directory, ['projections', ...args]);
  const listed = async () => JSON.parse((await projections('list', '--json')).stdout) as Listed[];
  const record = (projection: string) => {
    const database = new Database(join(directory, 'projections.db'), { timeout: 5_000 });
    try {
      const row = database.prepare('SELECT entry FROM catalogue WHERE name = ?').raw().get([projection]) as
        readonly [string] | undefined;
      return row && parseProjectionBuilds(JSON.parse(row[0]));
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
    countIn(category) {
      const database = new Database(join(directory, 'events.db'));
      try {
        const query = database.prepare('SELECT count(*) FROM events WHERE stream LIKE ?').raw();
        return (query.get([`${category}-%`]) as readonly [number])[0];
      } finally {
        database.close();
      }
    },
    head: () => toPosition(readEmbeddedHead(join(directory, 'events.db'))),
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
      // Synchronously: libsql keeps a closed connection until it is garbage-collected, which then removes a file.
      cpSync(original, directory, { recursive: true });
      return worldIn(directory);
    },
    empty: async (): Promise<World> => worldIn(await newDirectory()),
    end: async (): Promise<void> => {
      for (const directory of made) await rm(directory, { recursive: true, force: true });
    },
  };
};
