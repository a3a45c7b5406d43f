import { accessSync, constants, statSync } from 'node:fs';
import {
  loadHistoryConfig,
  loadEventLogConfig,
  loadEventLogAndTokenConfig,
  type Config,
  type EventLogConfig,
} from '../../config/config.ts';
import { fileFailureOf } from '../../sqlite/failures.ts';
import { diagnoseMissingLog } from '../../event-store/embedded/log-file.ts';
import type { EventStoreSettings, StoreSettings } from '../../stores.ts';
import { CliError, oneLineReason } from './cli-error.ts';
import { loadTerminalEnvironment, type Terminal } from './terminal.ts';

/** The file of an event log on files. @throws CliError for one on a server */
export const eventFileOf = (eventStore: EventStoreSettings, command: string): string => {
  if (eventStore.kind !== 'sqlite')
    throw new CliError(
      `EVENT_STORE_URL names a server: ${command} is for files alone; docs/operating.md says how servers are backed up`,
    );
  return eventStore.path;
};

/** Why no event log can be read from a file; undefined where one can, which may be damaged. It makes no file. */
export const findLogFileFault = (file: string): string | undefined => {
  try {
    const status = statSync(file, { throwIfNoEntry: false });
    if (status?.isFile() === false) return `${file} is no file`;
    if (status) accessSync(file, constants.R_OK);
    const missing = diagnoseMissingLog(file);
    return missing?.hasTables === false ? missing.text : undefined;
  } catch (error) {
    // The command itself says what a damaged one still holds.
    return fileFailureOf(error, file) === 'damaged' ? undefined : `${file} cannot be read: ${oneLineReason(error)}`;
  }
};

/** @throws CliError where the file has no event log, before anything is made; a server is left to the command */
const requireLog = <Read extends { readonly stores: StoreSettings }>(read: Read): Read => {
  const { eventStore } = read.stores;
  const fault = eventStore.kind === 'sqlite' ? findLogFileFault(eventStore.path) : undefined;
  if (fault !== undefined)
    throw new CliError(
      `There is no event log to read: ${fault}; allowed: DATA_DIR or EVENT_STORE_URL of a service; hiring doctor says more`,
    );
  return read;
};

/** The configuration of an event log that exists. @throws ConfigError; CliError where no event log can be read */
export const loadExistingLogConfig = (terminal: Terminal): EventLogConfig =>
  requireLog(loadEventLogConfig(loadTerminalEnvironment(terminal)));

/** What commands about the history use. @throws as `loadExistingLogConfig` */
export const loadExistingLogHistoryConfig = (terminal: Terminal): EventLogConfig & Pick<Config, 'codeSecret'> =>
  requireLog(loadHistoryConfig(loadTerminalEnvironment(terminal)));

/** What tokens are made with. @throws as `loadExistingLogConfig` */
export const loadExistingLogTokenConfig = (terminal: Terminal): EventLogConfig & Pick<Config, 'tokens'> =>
  requireLog(loadEventLogAndTokenConfig(loadTerminalEnvironment(terminal)));
