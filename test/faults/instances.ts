import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deciders } from '../../src/domain/index.ts';
import type { EventStore } from '../../src/event-store/port.ts';
import { openEventStoreDb } from '../../src/event-store/eventstoredb/event-store.ts';
import { openMongoReadModels } from '../../src/read-models/mongodb/read-models.ts';
import type { ReadModelStore } from '../../src/read-models/port.ts';
import { eventually } from '../support/eventually.ts';
import { configured, killLeftProcesses, runProcess, sendTo, serveProcess, type Running } from '../support/process.ts';
import { newDatabase, newPrefix } from '../support/servers.ts';

const READY_MS = 60_000;

/** The URLs of one EventStoreDB and one MongoDB. */
export interface Servers {
  readonly eventStore: string;
  readonly mongo: string;
}

/** Instances of the service that share streams and a database of their own. */
export interface Instances {
  /** Starts one more instance; resolves once it listens. */
  readonly start: (more?: Readonly<Record<string, string>>) => Promise<Running>;
  /** Runs a CLI command in the same environment. */
  readonly run: (...args: readonly string[]) => ReturnType<typeof runProcess>;
  readonly openLog: () => EventStore;
  readonly openReadModels: () => ReadModelStore;
  /** Kills the instances that still run, and removes what the test has stored. */
  readonly end: () => Promise<void>;
}

export const newInstances = async ({ eventStore, mongo }: Servers): Promise<Instances> => {
  const directory = await mkdtemp(join(tmpdir(), 'hiring-instances-'));
  const prefix = newPrefix();
  const database = newDatabase(mongo);
  const environment = {
    ...configured,
    EVENT_STORE_URL: eventStore,
    EVENT_STORE_PREFIX: prefix,
    READ_MODEL_URL: database.url,
  };
  return {
    start: (more = {}) => serveProcess(directory, { ...environment, ...more }),
    run: (...args) => runProcess(directory, args, environment),
    openLog: () => openEventStoreDb({ url: eventStore, prefix, categories: deciders.map(({ category }) => category) }),
    openReadModels: () => openMongoReadModels({ url: database.url }),
    async end() {
      killLeftProcesses();
      // The test's own server may be down; removing it removes the database too.
      await database.drop().catch(() => undefined);
      await rm(directory, { recursive: true, force: true });
    },
  };
};

/** Waits until an instance says that it is ready. */
export const untilReady = (instance: Pick<Running, 'url'>): Promise<number> =>
  eventually(
    'an instance is ready',
    async () => (await sendTo(instance, 'GET', '/health/ready')).status === 200,
    READY_MS,
  );
