import { dirname, join } from 'node:path';
import type { BuildRegistry } from './builds/registry.ts';
import type { EventReader } from './event-store/embedded/reader.ts';
import type { EmbeddedOptions } from './event-store/embedded/event-store.ts';
import { EVENTSTOREDB_NO_ANSWER } from './event-store/eventstoredb/retry.ts';
import { LogDamagedError, type EventStore } from './event-store/port.ts';
import type { EventTypeStatisticsReader } from './event-store/type-counts.ts';
import type { ReadModelsReader } from './read-models/embedded/reader.ts';
import { makeDirectory } from './lib/file-access.ts';
import { using } from './lib/using.ts';
import { MONGODB_NO_ANSWER } from './read-models/mongodb/run-on-database.ts';
import type { ReadModelStore, InterruptedBuildReader } from './read-models/port.ts';

export interface SqliteSettings {
  readonly kind: 'sqlite';
  readonly path: string;
}
export type EventStoreSettings =
  | SqliteSettings
  | {
      readonly kind: 'eventstoredb';
      readonly url: string;
      /** Prefix of the names of this service's streams. */
      readonly prefix: string;
      /** Of the business's streams. */
      readonly categories: readonly string[];
    };
export type ReadModelSettings = SqliteSettings | { readonly kind: 'mongodb'; readonly url: string };

/** Which stores the service runs on: settings alone, so that a thread can open them as well. */
export interface StoreSettings {
  readonly eventStore: EventStoreSettings;
  readonly readModels: ReadModelSettings;
}

// Loaded where it is used: a thread that only reads the event log starts in a tenth of the time.
const loadEventStoreDb = () => import('./event-store/eventstoredb/event-store.ts');
const loadMongo = () => import('./read-models/mongodb/read-models.ts');

export interface EventStoreOptions extends EmbeddedOptions {
  /** A subscription was dropped; it resumes by itself. */
  readonly onDropped?: (error: unknown) => void;
}

/** Opens the event log to append and to read. */
export const openEventStore = async (
  settings: EventStoreSettings,
  options: EventStoreOptions = {},
): Promise<EventStore> => {
  if (settings.kind === 'eventstoredb')
    return (await loadEventStoreDb()).openEventStoreDb({ ...settings, onDropped: options.onDropped });
  makeDirectory(dirname(settings.path));
  const { openEmbeddedEventStore } = await import('./event-store/embedded/event-store.ts');
  return openEmbeddedEventStore(settings.path, options);
};

/** An event log beside its writer: to follow it, and to append the few events of operators' acts. */
export type ConcurrentEventLog = EventReader & EventTypeStatisticsReader & Pick<EventStore, 'append'>;

const countable = (log: Omit<ConcurrentEventLog, 'countTypes'>): ConcurrentEventLog => ({
  ...log,
  countTypes: async (...args) => (await import('./event-store/type-counts.ts')).countEventsByType(log, ...args),
});

/**
 * Opens the event log to follow it, while another connection appends to it. @param onDropped as in `EventStoreOptions`
 */
export const openConcurrentEventLog = async (
  settings: EventStoreSettings,
  onDropped: (error: unknown) => void,
): Promise<ConcurrentEventLog> => {
  if (settings.kind === 'eventstoredb') {
    const { openEventStoreDb } = await loadEventStoreDb();
    return countable({ ...openEventStoreDb({ ...settings, onDropped }), advance: () => undefined });
  }
  const { path } = settings;
  const { openEventReader } = await import('./event-store/embedded/reader.ts');
  const loadAppends = () => import('./event-store/embedded/appends.ts');
  return countable({
    ...openEventReader(path),
    append: async (append) => (await loadAppends()).appendWithOwnConnection(path, append),
  });
};

/**
 * Refuses an event log in a file whose streams cannot all be found: that one was left out, no read of a stream tells.
 * A service verifies its own log while it runs.
 *
 * @throws LogDamagedError
 */
export const refuseDamagedStreamIndex = async (settings: EventStoreSettings): Promise<void> => {
  if (settings.kind !== 'sqlite') return;
  const { findIndexDamage } = await import('./event-store/embedded/verify.ts');
  const [damage] = findIndexDamage(settings.path);
  if (damage) throw new LogDamagedError(damage);
};

/** Opens the read models to write them. */
export const openReadModelStore = async (
  settings: ReadModelSettings,
  onWarning: (line: string) => void,
): Promise<ReadModelStore> => {
  if (settings.kind === 'mongodb') return (await loadMongo()).openMongoReadModels({ url: settings.url, onWarning });
  const { openEmbeddedReadModels } = await import('./read-models/embedded/read-models.ts');
  return openEmbeddedReadModels(settings.path, onWarning);
};

/** Where the deliveries of webhooks are kept: beside the read models, and not removed with them. */
export const webhookStoreSettingsOf = (settings: ReadModelSettings): ReadModelSettings =>
  settings.kind === 'sqlite' ? { ...settings, path: join(dirname(settings.path), 'webhooks.db') } : settings;

/** Opens what is stored of a projection that is being built, while no process writes it. */
export const openInterruptedBuildReader = async (
  settings: ReadModelSettings,
  projection: string,
): Promise<InterruptedBuildReader> => {
  if (settings.kind === 'mongodb') return (await loadMongo()).openMongoReadModels({ url: settings.url });
  const { openEmbeddedInterruptedBuildReader } = await import('./read-models/embedded/file-readers.ts');
  return openEmbeddedInterruptedBuildReader(settings.path, projection);
};

/** Opens the read models to read them beside their writer, which must have made a file first. */
export const openReadModelReader = async (
  settings: ReadModelSettings,
  onDamaged?: (projection: string) => void,
): Promise<ReadModelsReader> => {
  if (settings.kind === 'mongodb') {
    const { openMongoReadModelsReader } = await import('./read-models/mongodb/reader.ts');
    return { ...openMongoReadModelsReader(settings.url), refresh: () => undefined };
  }
  const { openEmbeddedReadModelsReader } = await import('./read-models/embedded/reader.ts');
  return openEmbeddedReadModelsReader(settings.path, onDamaged);
};

/** The file of the build registry, beside those of the read models. */
export const buildRegistryFileOf = ({ path }: SqliteSettings): string => join(dirname(path), 'projections.db');

/** Opens the build registry. @param onWarning for the service, which sets a damaged file aside: told of it */
export const openBuildRegistry = async (
  settings: ReadModelSettings,
  onWarning?: (line: string) => void,
): Promise<BuildRegistry> => {
  if (settings.kind === 'mongodb')
    return (await import('./builds/mongodb-registry.ts')).openMongoBuildRegistry(settings.url);
  const { openEmbeddedBuildRegistry } = await import('./builds/embedded-registry.ts');
  const { createReadModelFileCatalog } = await import('./read-models/embedded/read-model-files.ts');
  const file = buildRegistryFileOf(settings);
  const { projections, removeAll } = createReadModelFileCatalog(settings.path);
  const onNew = (loss: string | undefined) => {
    if (loss !== undefined && projections().length > 0) onWarning?.(`${file} was missing: ${loss}`);
    removeAll();
  };
  return openEmbeddedBuildRegistry(file, onWarning && { onWarning, onNew });
};

/**
 * Refuses a server that lacks what the service needs, an event log whose file is damaged, and files of read models that
 * another user has made; a server that does not answer is checked later.
 *
 * @throws UnusableServerError
 * @throws UnusableFileError
 */
export const refuseUnusableStores = async ({ eventStore, readModels }: StoreSettings): Promise<void> => {
  if (eventStore.kind === 'sqlite') {
    const { refuseDamagedLog } = await import('./event-store/embedded/failures.ts');
    refuseDamagedLog(eventStore.path);
  }
  if (readModels.kind === 'sqlite') {
    const { refuseUnwritable } = await import('./sqlite/files.ts');
    const { createReadModelFileCatalog } = await import('./read-models/embedded/read-model-files.ts');
    const names = createReadModelFileCatalog(readModels.path);
    for (const file of [buildRegistryFileOf(readModels), ...names.projections().map(names.whole)])
      refuseUnwritable(file);
    return;
  }
  const { createMongoConnection, refuseStandalone } = await import('./read-models/mongodb/client.ts');
  await using(createMongoConnection(readModels.url), ({ ask }) => refuseStandalone(ask)).catch((error: unknown) => {
    if (unreachableServerMessageOf(error) === undefined) throw error;
  });
};

/** The server that does not answer, by the error; undefined for any other error. */
export const unreachableServerMessageOf = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined;
  return [EVENTSTOREDB_NO_ANSWER, MONGODB_NO_ANSWER].find((message) => message === error.message);
};
