import { basename, dirname, resolve } from 'node:path';
import { ConfigError, type Config } from '../../config/config.ts';
import { systemClock } from '../../ports/clock.ts';
import { buildRegistryFileOf, type StoreSettings } from '../../stores.ts';
import { diagnoseBuilds } from './builds.ts';
import { diagnoseDataDirectory, diagnoseDiskSpace, diagnoseFileOwners, diagnoseDiskWrites } from './directory.ts';
import { diagnoseEventLog, diagnoseEventIntegrity, diagnoseLogIdentity, diagnoseClockAndBackups } from './event-log.ts';
import { wellFinding, type Finding } from './finding.ts';
import { diagnoseExternalServices } from './external-services.ts';
import { diagnoseMetricsPort, diagnoseServicePort, diagnoseRunningService } from './listening-port.ts';
import { diagnoseWebhooks } from './webhooks.ts';
import { dataDirectoriesOf } from '../parts/data-directories.ts';
import { readDirectoryOwner } from '../parts/data-directory.ts';
import { print } from '../parts/print.ts';
import { readServiceState } from '../parts/running-service.ts';
import { wrapLabeledText, type Screen } from '../parts/table.ts';
import { loadTerminalConfig, loadTerminalEnvironment, type Terminal } from '../parts/terminal.ts';

export interface DoctorOptions {
  /** How old the last backup may be. */
  readonly backupDays: number;
}

const readConfig = (terminal: Terminal): Config | Finding[] => {
  try {
    return loadTerminalConfig(terminal);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map((text) => ({ subject: 'configuration', isWell: false, text }));
  }
};

const directoriesOf = ({ eventStore, readModels }: StoreSettings): readonly (readonly [string, string[]])[] =>
  [...dataDirectoriesOf([eventStore, readModels])].map(([directory, names]) => [
    directory,
    readModels.kind === 'sqlite' && directory === dirname(resolve(readModels.path))
      ? [...names, basename(buildRegistryFileOf(readModels))]
      : [...names],
  ]);

/** The findings of all looks, of which each opens what it judges. */
const findingsOf = async (terminal: Terminal, { backupDays }: DoctorOptions): Promise<readonly Finding[]> => {
  const config = readConfig(terminal);
  if (Array.isArray(config)) return config;
  const { stores, isDemo } = config;
  const directories = directoriesOf(stores);
  const now = systemClock();
  const isRequired = loadTerminalEnvironment(terminal)['NODE_ENV'] === 'production';
  const owner = directories[0] && readDirectoryOwner(directories[0][0]);
  const service = readServiceState(terminal, stores);
  const ofDirectories = await Promise.all(
    directories.flatMap(([directory]) => [diagnoseDataDirectory(directory), diagnoseDiskWrites(directory)]),
  );
  const first = [
    wellFinding('Node.js', process.version),
    wellFinding('configuration', isDemo ? 'complete, with the public credentials of the demo' : 'complete'),
    ...ofDirectories.flat(),
  ];
  const ofService = diagnoseRunningService(owner, service);
  if (first.some(({ isHung }) => isHung)) return [...first, ...(await ofService)];
  // Before the others, which open files: SQLite then makes more, of this user.
  for (const [directory, names] of directories) first.push(...(await diagnoseFileOwners(directory, names)));
  const found = await Promise.all([
    ...directories.map(([directory]) => diagnoseDiskSpace(directory)),
    diagnoseServicePort(config, owner, service),
    diagnoseMetricsPort(config, service),
    ofService,
    diagnoseExternalServices(config),
    diagnoseEventLog(stores.eventStore),
    diagnoseLogIdentity(config, now),
    diagnoseClockAndBackups(stores.eventStore, now, { days: backupDays, isRequired }),
    diagnoseBuilds(stores, now, owner?.isRunning === true),
    diagnoseWebhooks(stores.readModels, now),
  ]);
  return [
    ...first,
    ...found.flat(),
    // After the others: it keeps the thread busy, and they have time-outs.
    ...(await diagnoseEventIntegrity(stores.eventStore)),
  ];
};

/** A line for each finding, or several at a narrow terminal. */
export const findingsLines = (findings: readonly Finding[], screen: Screen): readonly string[] => {
  const width = Math.max(...findings.map(({ subject }) => subject.length));
  return findings.flatMap(({ subject, isWell, text }) =>
    wrapLabeledText(`${isWell ? 'ok ' : 'BAD'}  ${subject.padEnd(width)}  `, text, screen),
  );
};

/** `hiring doctor`: what a start would find, and what waits for an operator. Resolves to whether all is well. */
export const runDoctor = async (terminal: Terminal, options: DoctorOptions): Promise<boolean> => {
  const findings = await findingsOf(terminal, options);
  print(terminal.stdout, findingsLines(findings, terminal.stdout));
  return findings.every(({ isWell }) => isWell);
};
