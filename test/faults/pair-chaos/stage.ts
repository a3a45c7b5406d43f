import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDBClient } from '@eventstore/db-client';
import { configured, runProcess } from '../../support/process.ts';
import { newDatabase, newPrefix } from '../../support/servers.ts';
import { openEventLog, type EventLog } from './event-log.ts';
import { MENDED_DIRECTORY } from './faulty-handlers.ts';
import { openInstance, type Instance } from './instance.ts';
import { untilReady } from './caught-up.ts';
import { openPair, type Pair } from './pair.ts';

/** Three instances on one pair of servers, on streams and in a database of their own. */
export interface Stage {
  readonly pair: Pair;
  readonly instances: readonly Instance[];
  readonly log: EventLog;
  /** Runs a CLI command with connections of its own to the servers. */
  readonly run: (...args: readonly string[]) => ReturnType<typeof runProcess>;
  /** Fixes the handlers that fail at a token. */
  readonly mend: (token: string) => Promise<void>;
  /** Ends the faults that are left. */
  readonly heal: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const INSTANCES = 3;
const READY_WITHIN_MS = 90_000;
const PRELOADED = new URL('./faulty-handlers.js', import.meta.url).href;

/** Opens a stage; closes what it has opened when it fails. */
export const openStage = async (): Promise<Stage> => {
  const opened: (() => Promise<void>)[] = [];
  const closeAll = async () => {
    for (const close of opened.reverse()) await close();
  };
  try {
    return await open(opened, closeAll);
  } catch (error) {
    await closeAll();
    throw error;
  }
};

const open = async (opened: (() => Promise<void>)[], close: Stage['close']): Promise<Stage> => {
  const directory = await mkdtemp(join(tmpdir(), 'hiring-pair-chaos-'));
  opened.push(() => rm(directory, { recursive: true }));
  const pair = await openPair();
  opened.push(() => pair.remove());
  const mended = join(directory, 'mended');
  await mkdir(mended);
  const prefix = newPrefix();
  const database = newDatabase(pair.urls.mongo);
  // The suite's own server is removed with all its databases.
  if (!pair.own.mongo) opened.push(() => database.drop());
  const environmentOf = ({ eventStore, mongo }: Pair['urls']) => ({
    ...configured,
    EVENT_STORE_URL: eventStore,
    EVENT_STORE_PREFIX: prefix,
    READ_MODEL_URL: mongo,
    NODE_OPTIONS: `--import=${PRELOADED}`,
    [MENDED_DIRECTORY]: mended,
  });
  const urls = { eventStore: pair.urls.eventStore, mongo: database.url };
  const instances = await Promise.all(
    Array.from({ length: INSTANCES }, (_, number) => openInstance(number, urls, environmentOf, directory)),
  );
  opened.push(...instances.map((instance) => () => instance.close()));
  const heal = async () => {
    for (const { links, wake } of instances) {
      wake();
      for (const link of Object.values(links)) link.release();
    }
    await pair.heal();
    await Promise.all(instances.map(({ start }) => start()));
  };
  await heal();
  // An instance creates collections until it is ready; after a kill only a real MongoDB server still has them.
  await untilReady(instances, READY_WITHIN_MS);
  // One client at a time per process: closing one loses the answers of another.
  const client = EventStoreDBClient.connectionString(pair.urls.eventStore);
  const log = openEventLog(client, pair.urls.eventStore, prefix);
  opened.push(() => log.close());
  return {
    pair,
    instances,
    log,
    run: (...args) => runProcess(directory, args, environmentOf(urls)),
    mend: (token) => writeFile(join(mended, token), ''),
    heal,
    close,
  };
};
