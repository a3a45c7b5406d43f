import Database from 'libsql';
import { MongoClient } from 'mongodb';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { projections } from '../../projections/index.ts';
import { streamCategories } from '../../src/domain/index.ts';
import { collectionMapperOf } from '../../src/projector/build-projection.ts';
import type { BuildRegistry } from '../../src/builds/registry.ts';
import type { EventReader } from '../../src/event-store/embedded/reader.ts';
import { START_POSITION, type EventLog, type Position } from '../../src/event-store/port.ts';
import type { Projection } from '../../src/projector/projection.ts';
import { parseCheckpoint } from '../../src/read-models/port.ts';
import { createReadModelFileCatalog } from '../../src/read-models/embedded/read-model-files.ts';
import { readEmbeddedCheckpoints } from '../support/embedded-checkpoints.ts';
import { openMongoReadModelsReader } from '../../src/read-models/mongodb/reader.ts';
import type { Checkpoint } from '../../src/read-models/port.ts';
import { seedWorld } from '../../src/tools/seed/seed.ts';
import {
  openBuildRegistry,
  openEventStore,
  openConcurrentEventLog,
  openReadModelReader,
  type StoreSettings,
} from '../../src/stores.ts';
import { configured, killLeftProcesses, serveProcess, type Running } from '../support/process.ts';
import { newDatabase, newPrefix } from '../support/servers.ts';
import type { Documents } from './model.ts';

/** A service with an event log, and access to its builds from outside. */
export interface BuildScene {
  readonly registry: BuildRegistry;
  /** Resolves once the service listens. */
  readonly start: () => Promise<Running>;
  /** Opened anew for each question: a reader on files does not notice that the event log has grown. */
  readonly log: Pick<EventLog, 'readAll' | 'head'>;
  readonly checkpoints: () => Promise<ReadonlyMap<string, Checkpoint>>;
  /** The positions of the builds that have a checkpoint at a position of the event log, by id. */
  readonly positions: () => Promise<ReadonlyMap<string, Position>>;
  /** Whether a stored part lets the service resume a build; for a build at the head the answer means nothing. */
  readonly isPartStored: (id: string) => Promise<boolean>;
  readonly documentsOf: (projection: Projection, id: string) => Promise<Documents>;
  /** The tables or collections, except those that belong to no build. */
  readonly stored: () => Promise<readonly string[]>;
  readonly end: () => Promise<void>;
}

type Looks = Pick<BuildScene, 'checkpoints' | 'stored'> & { readonly drop: () => Promise<void> };

const rowsOf = (file: string, sql: string): string[] => {
  const database = new Database(file, { timeout: 5_000, readonly: true });
  try {
    return (database.prepare(sql).raw().all([]) as string[][]).flat();
  } finally {
    database.close();
  }
};

const CHECKPOINT = 'SELECT checkpoint FROM projection';
const BUILDING = /^read-models\.db\.(.+)\.building-[^-]+(-[^-]+){4}$/;

/** The checkpoint of a build; undefined while its file has no table yet, or is being renamed or removed. */
const checkpointOf = (file: string): string | undefined => {
  try {
    return rowsOf(file, CHECKPOINT)[0];
  } catch (error) {
    if (/no such table|unable to open|disk I.O error/.test(String(error))) return undefined;
    throw error;
  }
};

/** Includes files that are being built. */
const filesLooks = (path: string): Looks => ({
  checkpoints() {
    const found = readEmbeddedCheckpoints(path);
    for (const name of readdirSync(dirname(path))) {
      const id = BUILDING.exec(name)?.[1];
      const text = id !== undefined && checkpointOf(join(dirname(path), name));
      if (id !== undefined && text) found.set(id, parseCheckpoint(text));
    }
    return Promise.resolve(found);
  },
  stored() {
    const files = createReadModelFileCatalog(path);
    const tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'projection'";
    return Promise.resolve(files.projections().flatMap((name) => rowsOf(files.whole(name), tables)));
  },
  drop: () => Promise.resolve(),
});

const OF_NO_BUILD = ['projections', 'leases', 'catalogue', 'log', 'rate_limits'];

const serverLooks = (url: string, drop: () => Promise<void>): Looks => {
  const client = new MongoClient(url);
  const reader = openMongoReadModelsReader(url);
  return {
    checkpoints: () => reader.checkpoints(),
    async stored() {
      const all = await client.db().listCollections({}, { nameOnly: true }).toArray();
      return all.map(({ name }) => name).filter((name) => !OF_NO_BUILD.includes(name));
    },
    async drop() {
      await client.close();
      await reader.close();
      await drop();
    },
  };
};

const seed = async (stores: StoreSettings, candidates: number): Promise<void> => {
  const log = await openEventStore(stores.eventStore);
  await seedWorld({ eventStore: log, options: { seed: 7, candidates } });
  await log.close();
};

/**
 * A service on files, or on two servers, with a small world in its event log.
 *
 * @param servers URLs; left out: files
 */
export const newBuildScene = async (
  candidates: number,
  servers?: { readonly eventStore: string; readonly mongo: string },
): Promise<BuildScene> => {
  const directory = await mkdtemp(join(tmpdir(), 'hiring-builds-'));
  const [prefix, database] = [newPrefix(), servers && newDatabase(servers.mongo)];
  const stores: StoreSettings =
    servers && database
      ? {
          eventStore: { kind: 'eventstoredb', url: servers.eventStore, prefix, categories: streamCategories },
          readModels: { kind: 'mongodb', url: database.url },
        }
      : {
          eventStore: { kind: 'sqlite', path: join(directory, 'events.db') },
          readModels: { kind: 'sqlite', path: join(directory, 'read-models.db') },
        };
  const more = servers &&
    database && { EVENT_STORE_URL: servers.eventStore, EVENT_STORE_PREFIX: prefix, READ_MODEL_URL: database.url };
  await seed(stores, candidates);
  const { drop, ...looks } = database
    ? serverLooks(database.url, () => database.drop())
    : filesLooks(join(directory, 'read-models.db'));
  const registry = await openBuildRegistry(stores.readModels);
  const withLog = async <T>(ask: (log: EventReader) => Promise<T>): Promise<T> => {
    const log = await openConcurrentEventLog(stores.eventStore, () => undefined);
    try {
      return await ask(log);
    } finally {
      await log.close();
    }
  };

  return {
    registry,
    ...looks,
    async positions() {
      const reached = [...(await looks.checkpoints())].filter(([, { position }]) => position > START_POSITION);
      return new Map(reached.map(([id, { position }]) => [id, position]));
    },
    async isPartStored(id) {
      const { building = null, position = START_POSITION } = (await looks.checkpoints()).get(id) ?? {};
      return building !== null || position > START_POSITION;
    },
    start: () => serveProcess(directory, { ...configured, ...more }),
    log: {
      head: () => withLog((log) => log.head()),
      readAll: (after, limit) => withLog((log) => log.readAll(after, limit)),
    },
    async documentsOf({ collections }, id) {
      const readModels = await openReadModelReader(stores.readModels);
      try {
        const dumped = collections.map(async (collection) => {
          const found = await readModels.find(collectionMapperOf(id)(collection), { filter: {} });
          return [collection.name, Object.fromEntries(found.map((each) => [each.id, each.doc]))] as const;
        });
        return Object.fromEntries(await Promise.all(dumped));
      } finally {
        await readModels.close();
      }
    },
    async end() {
      killLeftProcesses();
      await registry.close();
      await drop();
      await rm(directory, { recursive: true, force: true });
    },
  };
};

/** The names of the tables of the builds that are served. */
export const servedCollections = async ({ registry }: Pick<BuildScene, 'registry'>): Promise<string[]> => {
  const records = await registry.all();
  return projections.flatMap(({ name, collections }) => {
    const active = records.get(name)?.active;
    return active === undefined ? [] : collections.map((each) => collectionMapperOf(active)(each).name);
  });
};
