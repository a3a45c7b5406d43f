import { existsSync } from 'node:fs';
import type { ProjectionBuilds } from '../builds/build-schema.ts';
import type { LogLoss } from '../builds/registry.ts';
import { StoreUnavailableError } from '../errors/store-unavailable.ts';
import { UnusableFileError } from '../errors/unusable-file.ts';
import { laterEvent, type SeenLogPointers } from '../event-store/identity.ts';
import { START_POSITION, type EventPointer } from '../event-store/port.ts';
import { using } from '../lib/using.ts';
import { fileFailureOf } from '../sqlite/failures.ts';
import { openBuildRegistry, openReadModelReader, buildRegistryFileOf, type ReadModelSettings } from '../stores.ts';

/** What shows that an event log had events. */
export interface LogEvidence {
  readonly text: string;
  /** What an operator does to have another event log in its place. */
  readonly remedy: string;
}

/** What the build registry and the builds have seen of an event log. */
interface SeenByBuilds extends SeenLogPointers {
  readonly evidence: LogEvidence | undefined;
  /** Builds that were made from another event log than the others. */
  readonly foreign: readonly ForeignBuild[];
  /** What was found lost earlier. */
  readonly logLoss: LogLoss | undefined;
}

export interface ForeignBuild {
  readonly build: string;
  /** The identity of its event log. */
  readonly log: string;
}

/** Damaged files count as absent: the projector sets them aside. */
const unlessDamaged = async <T>(read: () => Promise<T>, nothing: T): Promise<T> => {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UnusableFileError || fileFailureOf(error) === 'damaged') return nothing;
    throw error;
  }
};

/** Whether a registry shows that there were events: records of older code have no identity, and may be all there is. */
const hasSeenEvents = ({ builds }: ProjectionBuilds): boolean =>
  builds.some(
    ({ progress, verification }) =>
      (progress?.events ?? 0) > 0 || (verification !== null && verification.position > START_POSITION),
  );

/** Reads what the build registry and the builds have seen of the event log. It makes no file. */
export const readSeenByBuilds = async (readModels: ReadModelSettings): Promise<SeenByBuilds> => {
  const isNew = readModels.kind === 'sqlite' && !existsSync(buildRegistryFileOf(readModels));
  const registry = isNew
    ? undefined
    : await unlessDamaged(
        () =>
          using(openBuildRegistry(readModels), async (opened) => ({
            first: await opened.firstOfLog(),
            logLoss: await opened.logLoss(),
            hasSeenEvents: [...(await opened.all()).values()].some(hasSeenEvents),
          })),
        undefined,
      );
  const builds = await unlessDamaged(
    () => using(openReadModelReader(readModels), async (reader) => [...(await reader.checkpoints())]),
    [],
  );
  const checkpoints = builds.map(([, checkpoint]) => checkpoint);
  const last = checkpoints.map((each) => each.last).reduce(laterEvent, null);
  const first = registry?.first ?? checkpoints.find((each) => each.first)?.first;
  const wereEvents = first || last || registry?.hasSeenEvents;
  const foreign = builds.flatMap(([build, checkpoint]): ForeignBuild[] =>
    first && checkpoint.first && checkpoint.first.id !== first.id ? [{ build, log: checkpoint.first.id }] : [],
  );
  return {
    first,
    last,
    evidence: wereEvents ? toReadModelEvidence(readModels) : undefined,
    foreign,
    logLoss: registry?.logLoss,
  };
};

/** Notes in the build registry from which event log the builds are made. */
export const registerLogIdentity = (readModels: ReadModelSettings, first: EventPointer): Promise<void> =>
  using(openBuildRegistry(readModels), async (registry) => {
    const known = await registry.firstOfLog();
    if (known?.id === first.id && known.position === first.position) return;
    await registry.noteFirstEvent(first).catch((error: unknown) => {
      // On a full disk: checkpoints name the event log too, and the next start notes it again.
      if (!(error instanceof StoreUnavailableError)) throw error;
    });
  });

/** Forgets that note, so that the next start accepts the event log that replaces another. */
export const unregisterLogIdentity = async (readModels: ReadModelSettings): Promise<void> => {
  if (readModels.kind === 'sqlite' && !existsSync(buildRegistryFileOf(readModels))) return;
  await unlessDamaged(
    () => using(openBuildRegistry(readModels), (registry) => registry.noteFirstEvent(undefined)),
    undefined,
  );
};

/** The read models and the build registry as a trace of an event log. */
export const toReadModelEvidence = (readModels: ReadModelSettings): LogEvidence =>
  readModels.kind === 'sqlite'
    ? {
        text: `${readModels.path}.* or ${buildRegistryFileOf(readModels)} was made from events`,
        remedy: `remove ${readModels.path}.* and ${buildRegistryFileOf(readModels)}`,
      }
    : {
        text: 'the database of READ_MODEL_URL was made from events',
        remedy: 'name an empty database in READ_MODEL_URL',
      };
