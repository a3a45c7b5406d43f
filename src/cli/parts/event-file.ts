import { existsSync } from 'node:fs';
import type { EventStoreSettings, StoreSettings } from '../../stores.ts';
import { CliError } from './cli-error.ts';

/** The file of an event log that is in one. @throws CliError on servers, which have ways of their own */
export const eventFileOf = (eventStore: EventStoreSettings, command: string): string => {
  if (eventStore.kind !== 'sqlite')
    throw new CliError(
      `EVENT_STORE_URL names a server: ${command} is for files alone; docs/servers.md tells how servers are backed up`,
    );
  return eventStore.path;
};

/** Reading makes no files. @throws CliError where there is no event log */
export const refuseWithoutLog = ({ eventStore }: Pick<StoreSettings, 'eventStore'>): void => {
  if (eventStore.kind === 'sqlite' && !existsSync(eventStore.path))
    throw new CliError(`EVENT_STORE_URL names ${eventStore.path}, where there is no event log`);
};
