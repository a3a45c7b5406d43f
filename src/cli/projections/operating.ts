import { projections } from '../../../projections/index.ts';
import { createOperations, type Operations } from '../../rebuilds/operations.ts';
import { loadConfig, withEnvFile } from '../../config/config.ts';
import { DirectoryInUse } from '../parts/data-directory.ts';
import { Refusal } from '../../errors/http-error.ts';
import { hostProjector } from '../../projector-threads/host.ts';
import type { Checkpoint } from '../../read-models/port.ts';
import {
  openCatalogue,
  openEventStore,
  openReadModels,
  refuseUnusable,
  type StoreSettings,
} from '../../stores.ts';
import { takeDataDirectories } from '../parts/data-directories.ts';
import { Fault } from '../parts/cli-error.ts';
import { whileInUse } from './while-in-use.ts';

export const storesOfEnvironment = (): StoreSettings =>
  loadConfig(withEnvFile(process.env, process.cwd())).stores;

/** The names that are given, or all. @throws Fault for none, and for one that there is not */
export const chosen = (names: readonly string[], isAll: boolean | undefined): readonly string[] => {
  const known = projections.map(({ name }) => name);
  if (isAll === true) return known;
  const allowed = `allowed: ${known.join(', ')}`;
  if (names.length === 0) throw new Fault(`Name a projection, or say --all; ${allowed}`);
  // Before anything is begun of the others.
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Fault(`There is no projection ${unknown}; ${allowed}`);
  return [...new Set(names)];
};

/** Reads the checkpoints of all builds, each time anew. */
const checkpointsIn =
  ({ readModels }: StoreSettings) =>
  async (): Promise<ReadonlyMap<string, Checkpoint>> => {
    const reader = await openReadModels(readModels);
    try {
      return await reader.checkpoints();
    } finally {
      await reader.close();
    }
  };

/** Gives operations on what the environment names. What is refused is told in one line. */
export const withOperations = async <T>(
  act: (operations: Operations, stores: StoreSettings) => Promise<T>,
): Promise<T> => {
  const stores = storesOfEnvironment();
  await refuseUnusable(stores);
  const catalogue = await openCatalogue(stores.readModels);
  try {
    return await act(
      createOperations(catalogue, projections, checkpointsIn(stores), () => new Date().toISOString()),
      stores,
    );
  } catch (error) {
    throw error instanceof Refusal ? new Fault(error.message) : error;
  } finally {
    await catalogue.close();
  }
};

/** Makes the files, when they are missing, that a projector opens. */
const prepareLog = async ({ eventStore }: StoreSettings): Promise<void> => {
  if (eventStore.kind !== 'sqlite') return;
  const log = await openEventStore(eventStore);
  await log.close();
};

/** Waits for work that is done meanwhile. @throws what the signal is aborted with */
type Wait<T> = (signal: AbortSignal) => Promise<T>;

/**
 * Runs a projector in this process while something waits for its work, unless the service runs on the same files, which does
 * it then. On servers instances share the work with this one.
 *
 * @throws Fault when a service that was to do it has gone
 */
export const withProjector = async <T>(stores: StoreSettings, wait: Wait<T>): Promise<T> => {
  const take = () => takeDataDirectories([stores.eventStore, stores.readModels]);
  let giveBack: () => void;
  try {
    giveBack = take();
  } catch (error) {
    if (error instanceof DirectoryInUse) return whileInUse(take, wait);
    throw error;
  }
  try {
    await prepareLog(stores);
    let failure: string | undefined;
    const host = await hostProjector({
      stores,
      projections,
      onError: (name, error) => {
        failure = error instanceof Error ? error.message : String(error);
        process.stderr.write(`${name}: ${failure}\n`);
      },
      onDropped: () => undefined,
      onEnded: () => undefined,
      onWarning: (line) => process.stderr.write(`${line}\n`),
    });
    try {
      return await wait(new AbortController().signal);
    } catch (error) {
      throw error instanceof Fault && failure !== undefined
        ? new Fault(`${error.message}: ${failure}`)
        : error;
    } finally {
      await host.stop();
    }
  } finally {
    giveBack();
  }
};
