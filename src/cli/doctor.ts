import { existsSync } from 'node:fs';
import { access, constants, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { projections } from '../../projections/index.ts';
import { liveBuild } from '../build-registry/entry.ts';
import { ConfigError, loadConfig, withEnvFile, type Config } from '../config/config.ts';
import { readEmbeddedHead } from '../event-store/embedded/event-store.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { openBuildRegistry, openLog, registryFile, type StoreSettings } from '../stores.ts';
import { oneLine } from './parts/cli-error.ts';
import { holderOf } from './parts/data-directory.ts';

/** What a start would find in one respect. */
interface Finding {
  readonly subject: string;
  /** A start fails, or the service soon does, while this is false. */
  readonly isWell: boolean;
  readonly text: string;
}

/** How long a server may take to answer. */
const MAX_WAIT_MS = 5_000;
const MIN_FREE_BYTES = 256 * 1_024 * 1_024;

const well = (subject: string, text: string): Finding => ({ subject, isWell: true, text });
const bad = (subject: string, error: unknown): Finding => ({
  subject,
  isWell: false,
  text: oneLine(error instanceof Error ? error.message : String(error)),
});

/** The outcome of a look; a look that fails, or takes too long, is a finding as well. */
const look = async (subject: string, run: () => Promise<Finding>): Promise<Finding> => {
  try {
    return await withTimeout(run(), MAX_WAIT_MS, `There was no answer in ${MAX_WAIT_MS / 1_000} s`);
  } catch (error) {
    return bad(subject, error);
  }
};

const filesOf = ({ eventStore, readModels }: StoreSettings): string[] =>
  [eventStore, readModels].flatMap((store) => (store.kind === 'sqlite' ? [resolve(store.path)] : []));

/** The closest directory above a path that is there. */
const existing = (path: string): string => (existsSync(path) ? path : existing(dirname(path)));

const lookAtDirectory = (directory: string): Promise<Finding> =>
  look('data directory', async () => {
    const there = existing(directory);
    await access(there, constants.R_OK | constants.W_OK | constants.X_OK);
    if (there !== directory) return well('data directory', `${directory} is not there yet, and can be made`);
    const holder = holderOf(directory);
    return well(
      'data directory',
      holder === undefined
        ? `${directory} is free`
        : `${directory} is in use by the process with pid ${holder}`,
    );
  });

const lookAtDisk = (directory: string): Promise<Finding> =>
  look('disk', async () => {
    const { bavail, bsize } = await statfs(existing(directory));
    const free = bavail * bsize;
    const text = `${(free / 1e9).toFixed(1)} GB are free`;
    return free < MIN_FREE_BYTES
      ? bad('disk', `${text}: too little for the service to run long`)
      : well('disk', text);
  });

const lookAtEventLog = ({ eventStore }: StoreSettings): Promise<Finding> =>
  look('event log', async () => {
    if (eventStore.kind === 'sqlite') {
      const events = existsSync(eventStore.path) ? readEmbeddedHead(eventStore.path) : 0;
      return well('event log', `${eventStore.path} holds ${events} events`);
    }
    const log = await openLog(eventStore, () => undefined);
    try {
      return well('event log', `EventStoreDB answers; its last position is ${await log.head()}`);
    } finally {
      await log.close();
    }
  });

const lookAtReadModels = ({ readModels }: StoreSettings): Promise<Finding> =>
  look('read models', async () => {
    if (readModels.kind === 'sqlite' && !existsSync(registryFile(readModels)))
      return well('read models', 'there are none yet: the start builds them');
    const registry = await openBuildRegistry(readModels);
    try {
      const entries = await registry.all();
      const older = projections.filter(({ name, version }) => {
        const entry = entries.get(name);
        return !entry || liveBuild(entry).version !== version;
      });
      const names = older.map(({ name }) => name).join(', ');
      return well('read models', names === '' ? 'all are of this version' : `the start rebuilds ${names}`);
    } finally {
      await registry.close();
    }
  });

const lookAtConfiguration = (): Config | Finding => {
  try {
    return loadConfig(withEnvFile(process.env, process.cwd()));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return bad('configuration', error);
  }
};

const findingsOf = async (): Promise<Finding[]> => {
  const config = lookAtConfiguration();
  if ('subject' in config) return [config];
  const { stores, isDemo } = config;
  const directories = new Set(filesOf(stores).map((file) => dirname(file)));
  return [
    well('Node.js', process.version),
    well('configuration', isDemo ? 'complete, with the public credentials of the demo' : 'complete'),
    well('clock', `${new Date().toISOString()} (UTC)`),
    ...(await Promise.all([...directories].flatMap((one) => [lookAtDirectory(one), lookAtDisk(one)]))),
    await lookAtEventLog(stores),
    await lookAtReadModels(stores),
  ];
};

/** `hiring doctor`: what a start would find, a line for each thing it needs; exit code 1 when something is amiss. */
export const examine = async (): Promise<void> => {
  const findings = await findingsOf();
  const width = Math.max(...findings.map(({ subject }) => subject.length));
  for (const { subject, isWell, text } of findings)
    process.stdout.write(`${isWell ? 'ok ' : 'BAD'}  ${subject.padEnd(width)}  ${text}\n`);
  if (findings.some(({ isWell }) => !isWell)) process.exitCode = 1;
};
