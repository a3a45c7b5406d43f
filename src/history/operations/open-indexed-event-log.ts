import { existsSync } from 'node:fs';
import { projections } from '../../../projections/index.ts';
import { servedBuild } from '../../builds/projection-builds.ts';
import { createProjectedEntityIndex, noIndex, type EntityIndex } from '../moment/entity-index.ts';
import { using } from '../../lib/using.ts';
import { servedReadModels } from '../../projector/build-projection.ts';
import type { Checkpoint } from '../../read-models/port.ts';
import {
  openBuildRegistry,
  openConcurrentEventLog,
  openReadModelReader,
  buildRegistryFileOf,
  type ConcurrentEventLog,
  type StoreSettings,
} from '../../stores.ts';

/** The event log and an index of it, beside the service that may be running. */
export interface OpenedIndexedLog {
  readonly log: ConcurrentEventLog;
  readonly index: EntityIndex;
  close(): Promise<void>;
}

type OpenIndex = Pick<OpenedIndexedLog, 'index' | 'close'>;

const withoutIndex: OpenIndex = { index: noIndex, close: () => Promise.resolve() };

/** The builds that are served now, by projection. */
const servedIds = async (readModels: StoreSettings['readModels']): Promise<ReadonlyMap<string, string>> => {
  const records = await using(openBuildRegistry(readModels), (registry) => registry.all());
  return new Map(
    projections.flatMap(({ name, version }) => {
      const record = records.get(name);
      const build = record && servedBuild(record, version);
      return build?.version === version ? [[name, build.id] as const] : [];
    }),
  );
};

/** Whether the event log still holds what a checkpoint was made from: a backup may have replaced it since. */
const isOfLog = async (log: ConcurrentEventLog, { last }: Checkpoint): Promise<boolean> =>
  last === null || (await log.recordAt(last.position))?.id === last.id;

const openIndex = async (log: ConcurrentEventLog, { readModels }: StoreSettings): Promise<OpenIndex> => {
  // Reading must not make the files of a service that has never run.
  if (readModels.kind === 'sqlite' && !existsSync(buildRegistryFileOf(readModels))) return withoutIndex;
  const ids = await servedIds(readModels);
  const reader = await openReadModelReader(readModels);
  try {
    const checkpoints = await reader.checkpoints();
    const index = createProjectedEntityIndex(async ({ name }) => {
      const checkpoint = checkpoints.get(ids.get(name) ?? '');
      if (!checkpoint || !(await isOfLog(log, checkpoint))) return undefined;
      return { checkpoint, readModels: servedReadModels(reader, projections, ids) };
    });
    return { index, close: () => reader.close() };
  } catch (error) {
    await reader.close();
    throw error;
  }
};

/** Opens the index where it is first asked; if the read models cannot be read, the event log is read as a whole. */
export const openLazyIndex = (
  log: ConcurrentEventLog,
  stores: StoreSettings,
  onNoIndex: (error: unknown) => void,
): OpenIndex => {
  let opening: Promise<OpenIndex> | undefined;
  const opened = () =>
    (opening ??= openIndex(log, stores).catch((error: unknown) => {
      onNoIndex(error);
      return withoutIndex;
    }));
  return {
    index: { streamsReferencing: async (entity) => (await opened()).index.streamsReferencing(entity) },
    close: async () => (await opening)?.close(),
  };
};

/** Failures in spite of which the history is read. */
interface HistoryCallbacks {
  /** A subscription was dropped; it resumes by itself. */
  readonly onDropped: (error: unknown) => void;
  /** The read models cannot be read: the event log is read as a whole. */
  readonly onNoIndex: (error: unknown) => void;
}

/** Opens what the history is read from, which must be there. */
export const openIndexedEventLog = async (
  stores: StoreSettings,
  { onDropped, onNoIndex }: HistoryCallbacks,
): Promise<OpenedIndexedLog> => {
  const log = await openConcurrentEventLog(stores.eventStore, onDropped);
  const { index, close } = openLazyIndex(log, stores, onNoIndex);
  return {
    log,
    index,
    async close() {
      try {
        await close();
      } finally {
        await log.close();
      }
    },
  };
};
