import type { EventStoreSettings } from '../../stores.ts';
import { CliError } from './cli-error.ts';

/** The file of an event log that is in one. @throws CliError on servers, which have ways of their own */
export const eventFileOf = (eventStore: EventStoreSettings, command: string): string => {
  if (eventStore.kind !== 'sqlite')
    throw new CliError(
      `EVENT_STORE_URL names a server: ${command} is for files alone; docs/servers.md tells how servers are backed up`,
    );
  return eventStore.path;
};
