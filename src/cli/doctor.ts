import { constants, type Stats } from 'node:fs';
import { access, lstat, stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { projections } from '../../projections/index.ts';
import { ConfigError, type Config } from '../config/config.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { namesOfFiles } from '../read-models/embedded/files.ts';
import { openBuildRegistry, openLog, type StoreSettings } from '../stores.ts';
import { reasonOf } from './parts/cli-error.ts';
import { dataDirectoriesOf } from './parts/data-directories.ts';
import { ownerOf } from './parts/data-directory.ts';
import { labelled, type Screen } from './parts/table.ts';
import { configOf, type Terminal } from './parts/terminal.ts';
import { using } from '../lib/using.ts';
import { print } from './parts/print.ts';

export interface Finding {
  readonly subject: string;
  /** A start fails, or the service soon does, while this is false. */
  readonly isWell: boolean;
  readonly text: string;
}

const MAX_WAIT_MS = 5_000;
const MIN_FREE_BYTES = 256 * 1_024 * 1_024;

const well = (subject: string, text: string): Finding => ({ subject, isWell: true, text });
const bad = (subject: string, error: unknown): Finding => ({
  subject,
  isWell: false,
  text: reasonOf(error),
});

/** A look that fails, or takes too long, is a finding as well. */
const look = async (subject: string, run: () => Promise<Finding>): Promise<Finding> => {
  try {
    return await withTimeout(run(), MAX_WAIT_MS, `There was no answer in ${MAX_WAIT_MS / 1_000} s`);
  } catch (error) {
    return bad(subject, error);
  }
};

/** What stands at a path, if anything does. @throws where that cannot be told, such as for a link that leads nowhere */
const statusOf = async (path: string): Promise<Stats | undefined> => {
  const status = await lstat(path).catch(unlessMissing);
  return status && stat(path);
};

const unlessMissing = (error: unknown): undefined => {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
};

/** The closest directory at or above a path that is there. @throws where something else is there */
const existing = async (path: string): Promise<string> => {
  const status = await statusOf(path);
  if (!status) return existing(dirname(path));
  if (!status.isDirectory()) throw new Error(`${path} is no directory`);
  await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  return path;
};

const lookAtDirectory = (directory: string): Promise<Finding> =>
  look('data directory', async () => {
    if ((await existing(directory)) !== directory)
      return well('data directory', `${directory} is not there yet, and can be made`);
    const holder = ownerOf(directory);
    const use = holder?.isRunning ? `in use by the process with pid ${holder.pid}` : 'free';
    return well('data directory', `${directory} is ${use}`);
  });

const lookAtDisk = (directory: string): Promise<Finding> =>
  look('disk', async () => {
    const { bavail, bsize } = await statfs(await existing(directory));
    const free = bavail * bsize;
    const text = `${(free / 1e9).toFixed(1)} GB are free`;
    return free < MIN_FREE_BYTES
      ? bad('disk', `${text}: too little for the service to run long`)
      : well('disk', text);
  });

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** Files are not opened: SQLite would recover what a killed service has left, and doctor changes nothing. */
const lookAtFile = async (path: string): Promise<Finding> => {
  const status = await statusOf(path);
  if (!status) return well('event log', `${path} is not there yet: the start makes it`);
  if (!status.isFile()) throw new Error(`${path} is no file`);
  await access(path, constants.R_OK | constants.W_OK);
  const left = (await statusOf(`${path}-wal`))?.size ?? 0;
  const text = `${path} has ${megabytes(status.size)}`;
  return well('event log', left === 0 ? text : `${text}, and ${megabytes(left)} in its write-ahead log`);
};

const lookAtEventLog = ({ eventStore }: StoreSettings): Promise<Finding> =>
  look('event log', async () => {
    if (eventStore.kind === 'sqlite') return lookAtFile(resolve(eventStore.path));
    return using(
      openLog(eventStore, () => undefined),
      async (log) => well('event log', `EventStoreDB answers; its last position is ${await log.head()}`),
    );
  });

/** The complete builds. Files are named by the builds in them, so they need not be opened. */
const buildsIn = async ({ readModels }: StoreSettings): Promise<string[]> => {
  if (readModels.kind === 'sqlite') return namesOfFiles(resolve(readModels.path)).projections();
  return using(openBuildRegistry(readModels), async (registry) =>
    [...(await registry.all()).values()].flatMap(({ builds }) => builds.map(({ id }) => id)),
  );
};

const lookAtReadModels = (stores: StoreSettings): Promise<Finding> =>
  look('read models', async () => {
    const builds = await buildsIn(stores);
    const missing = projections.filter(
      ({ name, version }) => !builds.some((id) => id.startsWith(`${name}@${version}.`)),
    );
    return well(
      'read models',
      missing.length === 0
        ? 'every projection has a build of this version'
        : `the start builds ${missing.map(({ name }) => name).join(', ')}`,
    );
  });

const lookAtConfiguration = (terminal: Terminal): Config | Finding[] => {
  try {
    return configOf(terminal);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map((text) => ({ subject: 'configuration', isWell: false, text }));
  }
};

const findingsOf = async (terminal: Terminal): Promise<Finding[]> => {
  const config = lookAtConfiguration(terminal);
  if (Array.isArray(config)) return config;
  const { stores, isDemo } = config;
  const directories = [...dataDirectoriesOf([stores.eventStore, stores.readModels]).keys()];
  return [
    well('Node.js', process.version),
    well('configuration', isDemo ? 'complete, with the public credentials of the demo' : 'complete'),
    well('clock', `${new Date().toISOString()} (UTC)`),
    ...(await Promise.all(directories.flatMap((one) => [lookAtDirectory(one), lookAtDisk(one)]))),
    ...(await Promise.all([lookAtEventLog(stores), lookAtReadModels(stores)])),
  ];
};

/** A line for each finding, or several at a narrow terminal. */
export const findingsLines = (findings: readonly Finding[], screen: Screen): readonly string[] => {
  const width = Math.max(...findings.map(({ subject }) => subject.length));
  return findings.flatMap(({ subject, isWell, text }) =>
    labelled(`${isWell ? 'ok ' : 'BAD'}  ${subject.padEnd(width)}  `, text, screen),
  );
};

/** `hiring doctor`: what a start would find, a line for each thing it needs. Resolves to whether all is well. */
export const examine = async (terminal: Terminal): Promise<boolean> => {
  const findings = await findingsOf(terminal);
  print(terminal.stdout, findingsLines(findings, terminal.stdout));
  return findings.every(({ isWell }) => isWell);
};
