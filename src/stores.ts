import { dirname, join } from 'node:path';
import type { BuildRegistry } from './builds/registry.ts';
import type { EventReader } from './event-store/embedded/reader.ts';
import type { EmbeddedOptions } from './event-store/embedded/event-store.ts';
import { NO_ANSWER } from './event-store/eventstoredb/retry.ts';
import { LogDamaged, type EventStore } from './event-store/port.ts';
import type { CountedLog } from './event-store/type-counts.ts';
import type { ReadModelsReader } from './read-models/embedded/reader.ts';
import { makeDirectory } from './lib/file-access.ts';
import { NO_ANSWER as NO_MONGO_ANSWER } from './read-models/mongodb/answers.ts';
import type { ReadModelStore, StoredDocuments } from './read-models/port.ts';

export interface SqliteFile {
  readonly kind: 'sqlite';
  readonly path: string;
}
export type EventStoreSettings =
  | SqliteFile
  | {
      readonly kind: 'eventstoredb';
      readonly url: string;
      /** Prefix of the names of this service's streams. */
      readonly prefix: string;
      /** Of the business's streams. */
      readonly categories: readonly string[];
    };
export type ReadModelSettings = SqliteFile | { readonly kind: 'mongodb'; readonly url: string };

/** Which stores the service runs on: settings alone, so that a thread can open them as well. */
export interface StoreSettings {
  readonly eventStore: EventStoreSettings;
  readonly readModels: ReadModelSettings;
}

// Loaded where it is used: a thread that only reads the event log starts in a tenth of the time.
const loadEventStoreDb = () => import('./event-store/eventstoredb/event-store.ts');
const loadMongo = () => import('./read-models/mongodb/read-models.ts');

export interface LogOptions extends EmbeddedOptions {
  /** A subscription was dropped; it resumes by itself. */
  readonly onDropped?: (error: unknown) => void;
}

/** Opens the event log to append and to read. */
export const openEventStore = async (
  settings: EventStoreSettings,
  options: LogOptions = {},
): Promise<EventStore> => {
  switch (settings.kind) {
    case 'sqlite':
      makeDirectory(dirname(settings.path));
      return (await import('./event-store/embedded/event-store.ts')).openEmbeddedEventStore(
        settings.path,
        options,
      );
    case 'eventstoredb': {
      const { openEventStoreDb } = await loadEventStoreDb();
      return openEventStoreDb({ ...settings, onDropped: options.onDropped });
    }
  }
};

/** An event log beside its writer: to follow it, and to append the few events of operators' acts. */
export type LogReader = EventReader & CountedLog & Pick<EventStore, 'append'>;

const countable = (log: Omit<LogReader, 'countTypes'>): LogReader => ({
  ...log,
  countTypes: async (...args) => (await import('./event-store/type-counts.ts')).countTypes(log, ...args),
});

/** Opens the event log to follow it, while another connection appends to it. @param onDropped as in `LogOptions` */
export const openLog = async (
  settings: EventStoreSettings,
  onDropped: (error: unknown) => void,
): Promise<LogReader> => {
  switch (settings.kind) {
    case 'sqlite': {
      const { path } = settings;
      return countable({
        ...(await import('./event-store/embedded/reader.ts')).openEventReader(path),
        append: async (append) =>
          (await import('./event-store/embedded/appends.ts')).appendConcurrently(path, append),
      });
    }
    case 'eventstoredb': {
      const { openEventStoreDb } = await loadEventStoreDb();
      return countable({ ...openEventStoreDb({ ...settings, onDropped }), advance: () => undefined });
    }
  }
};

/**
 * Refuses an event log in a file whose streams cannot all be found: that one was left out, no read of a stream tells.
 * A service verifies its own log while it runs.
 *
 * @throws LogDamaged
 */
export const refuseDamagedIndex = async (settings: EventStoreSettings): Promise<void> => {
  if (settings.kind !== 'sqlite') return;
  const { indexDamage } = await import('./event-store/embedded/verify.ts');
  const [damage] = indexDamage(settings.path);
  if (damage) throw new LogDamaged(damage);
};

/** Opens the read models to write them. */
export const openReadModelStore = async (
  settings: ReadModelSettings,
  onWarning: (line: string) => void,
): Promise<ReadModelStore> => {
  switch (settings.kind) {
    case 'sqlite':
      return (await import('./read-models/embedded/read-models.ts')).openEmbeddedReadModels(
        settings.path,
        onWarning,
      );
    case 'mongodb':
      return (await loadMongo()).openMongoReadModels({ url: settings.url, onWarning });
  }
};

/** Where the deliveries of webhooks are kept: beside the read models, and not removed with them. */
export const webhookStoreOf = (settings: ReadModelSettings): ReadModelSettings =>
  settings.kind === 'sqlite' ? { ...settings, path: join(dirname(settings.path), 'webhooks.db') } : settings;

/** Opens what is stored of a projection that is being built, while no process writes it. */
export const openInterruptedBuild = async (
  settings: ReadModelSettings,
  projection: string,
): Promise<StoredDocuments> => {
  switch (settings.kind) {
    case 'sqlite':
      return (await import('./read-models/embedded/file-readers.ts')).openEmbeddedBuilding(
        settings.path,
        projection,
      );
    case 'mongodb':
      return (await loadMongo()).openMongoReadModels({ url: settings.url });
  }
};

/** Opens the read models to read them beside their writer, which must have made a file first. */
export const openReadModels = async (
  settings: ReadModelSettings,
  onDamaged?: (projection: string) => void,
): Promise<ReadModelsReader> => {
  switch (settings.kind) {
    case 'sqlite':
      return (await import('./read-models/embedded/reader.ts')).openReadModelsReader(
        settings.path,
        onDamaged,
      );
    case 'mongodb':
      return {
        ...(await import('./read-models/mongodb/reader.ts')).openMongoReader(settings.url),
        refresh: () => undefined,
      };
  }
};

/** The file of the build registry, beside those of the read models. */
export const registryFile = ({ path }: SqliteFile): string => join(dirname(path), 'projections.db');

/** Opens the build registry. @param onWarning for the service, which sets a damaged file aside: told of it */
export const openBuildRegistry = async (
  settings: ReadModelSettings,
  onWarning?: (line: string) => void,
): Promise<BuildRegistry> => {
  switch (settings.kind) {
    case 'sqlite': {
      const [{ openEmbeddedBuildRegistry }, { namesOfFiles }] = await Promise.all([
        import('./builds/embedded.ts'),
        import('./read-models/embedded/files.ts'),
      ]);
      const { projections, removeAll } = namesOfFiles(settings.path);
      const onNew = (loss: string | undefined) => {
        if (loss !== undefined && projections().length > 0)
          onWarning?.(`${registryFile(settings)} was missing: ${loss}`);
        removeAll();
      };
      return openEmbeddedBuildRegistry(registryFile(settings), onWarning && { onWarning, onNew });
    }
    case 'mongodb':
      return (await import('./builds/mongodb.ts')).openMongoBuildRegistry(settings.url);
  }
};

/**
 * Refuses a server that lacks what the service needs, an event log whose file is damaged, and files of read models that
 * another user has made; a server that does not answer is checked later.
 *
 * @throws UnusableServer
 * @throws UnusableFile
 */
export const refuseUnusable = async ({ eventStore, readModels }: StoreSettings): Promise<void> => {
  if (eventStore.kind === 'sqlite') {
    const { refuseDamagedLog } = await import('./event-store/embedded/failures.ts');
    refuseDamagedLog(eventStore.path);
  }
  if (readModels.kind === 'sqlite') {
    const [{ refuseUnwritable }, { namesOfFiles }] = await Promise.all([
      import('./sqlite/files.ts'),
      import('./read-models/embedded/files.ts'),
    ]);
    const names = namesOfFiles(readModels.path);
    for (const file of [registryFile(readModels), ...names.projections().map(names.whole)])
      refuseUnwritable(file);
    return;
  }
  const { openConnection, refuseStandalone } = await import('./read-models/mongodb/client.ts');
  const { ask, close } = openConnection(readModels.url);
  try {
    await refuseStandalone(ask);
  } catch (error) {
    if (awaitedServer(error) === undefined) throw error;
  } finally {
    await close();
  }
};

/** The server that does not answer, by the error; undefined for any other error. */
export const awaitedServer = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined;
  return [NO_ANSWER, NO_MONGO_ANSWER].find((message) => message === error.message);
};
