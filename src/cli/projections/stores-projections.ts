import { projections } from '../../../projections/index.ts';
import { osActor } from '../../audit/os-actor.ts';
import { auditedOperations } from '../../builds/audited-operations.ts';
import { createProjectionOperations } from '../../builds/operations.ts';
import { toParkedStreamOverviews } from '../../builds/overview.ts';
import { DirectoryInUseError } from '../parts/data-directory.ts';
import { hiring } from '../../hiring/index.ts';
import { hostProjector } from '../../projector-threads/host.ts';
import type { Checkpoint } from '../../read-models/port.ts';
import { isCausedByDamage } from '../../event-store/port.ts';
import {
  openBuildRegistry,
  openEventStore,
  openReadModelReader,
  refuseUnusableStores,
  type StoreSettings,
} from '../../stores.ts';
import { lockDataDirectories } from '../parts/data-directories.ts';
import { createCliAudit } from '../parts/audit.ts';
import { loadExistingLogConfig } from '../parts/event-file.ts';
import { requireLogAndRecordLoss } from '../parts/known-log.ts';
import { CliError } from '../parts/cli-error.ts';
import { abortOnSignal, type Terminal } from '../parts/terminal.ts';
import { errorMessageOf } from '../../lib/error.ts';
import { using } from '../../lib/using.ts';
import { CANCEL_HINT, SERVICE_CONTINUES_HINT, type ProjectionsPort, type WaitForWork } from './port.ts';
import { runUntilOwnerGone } from './run-until-owner-gone.ts';
import { print } from '../parts/print.ts';

/** Reads the checkpoints of all builds anew at each call. */
const checkpointsIn =
  ({ readModels }: StoreSettings) =>
  (): Promise<ReadonlyMap<string, Checkpoint>> =>
    using(openReadModelReader(readModels), (reader) => reader.checkpoints());

const POLL_MS = 100;

/** Uses the projections of the stores. @throws CliError for what is refused or cannot be recorded */
export const withStoresProjections = async <T>(
  terminal: Terminal,
  reason: string | undefined,
  use: (port: ProjectionsPort) => Promise<T>,
): Promise<T> => {
  const config = loadExistingLogConfig(terminal);
  const { stores } = config;
  await refuseUnusableStores(stores);
  await requireLogAndRecordLoss(terminal, config);
  return await using(openBuildRegistry(stores.readModels), (registry) => {
    const now = () => new Date().toISOString();
    const operations = auditedOperations(
      createProjectionOperations(registry, projections, checkpointsIn(stores), now),
      createCliAudit(stores.eventStore),
      reason,
    );
    return use({
      ...operations,
      async state() {
        const [checkpoints, records] = [await operations.parked(), await operations.all()];
        const builds = [...records.values()].flatMap((record) => record.builds);
        const shown = [...checkpoints].map(([id, { parked }]) => {
          const { releases = [] } = builds.find((build) => build.id === id) ?? {};
          return [id, toParkedStreamOverviews({ releases }, parked)] as const;
        });
        return { records, parked: new Map(shown) };
      },
      pause: (name) => operations.pause(name, osActor()),
      whileWorking: (wait) => withProjector(terminal, stores, wait),
      pollMs: POLL_MS,
    });
  });
};

const HERE = `; nothing goes on with it until the service starts, or the same command again: ${CANCEL_HINT}`;
const ON_SERVERS = `; instances that run go on with it, or the next to start: ${CANCEL_HINT}`;

const CHECK = 'hiring check says what the event log still holds';

/**
 * Runs a projector in this process while something waits for its work. Where a service has the same files, its
 * projector does the work; on servers instances share it with this process.
 *
 * @throws CliError when that service has ended
 */
const withProjector = async <T>(terminal: Terminal, stores: StoreSettings, wait: WaitForWork<T>): Promise<T> => {
  const { stderr, threads } = terminal;
  const take = () => lockDataDirectories([stores.eventStore, stores.readModels]);
  let giveBack: () => void;
  try {
    giveBack = take();
  } catch (error) {
    if (error instanceof DirectoryInUseError) {
      const ending = abortOnSignal(terminal, SERVICE_CONTINUES_HINT);
      return runUntilOwnerGone(take, (signal) => wait(AbortSignal.any([signal, ending])));
    }
    throw error;
  }
  try {
    // Makes the file of an event log, and its tables, where they are missing.
    if (stores.eventStore.kind === 'sqlite')
      await (await openEventStore(stores.eventStore, { startWriter: threads?.writer })).close();
    let failure: string | undefined;
    const damaged = new AbortController();
    const host = await hostProjector({
      stores,
      servesRequests: false,
      projections,
      startThread: threads?.projector ?? hiring.startProjector,
      onError: (name, error) => {
        failure = errorMessageOf(error);
        // Trying again does not help.
        if (isCausedByDamage(error)) damaged.abort(new CliError(`${name}: ${failure}; ${CHECK}`));
        else print(stderr, `${name}: ${failure}`);
      },
      onDropped: () => undefined,
      onParked: ({ build, stream, type, position, error }) =>
        print(stderr, `${build}: ${stream} is parked at ${type} at ${position}: ${error.message}`),
      onBuild: () => undefined,
      onEnded: ({ message }) => {
        failure = message;
        print(stderr, `The projector's thread has ended, and another one is started: ${message}`);
      },
      onHung: (isHung) =>
        print(stderr, `The projector's thread ${isHung ? 'has not answered for 10 seconds' : 'answers again'}`),
      onWarning: (line) => print(stderr, line),
    });
    try {
      const ending = abortOnSignal(terminal, stores.eventStore.kind === 'sqlite' ? HERE : ON_SERVERS);
      return await wait(AbortSignal.any([ending, damaged.signal]));
    } catch (error) {
      throw error instanceof CliError && !damaged.signal.aborted && failure !== undefined
        ? new CliError(`${error.message}: ${failure}`)
        : error;
    } finally {
      await host.stop();
    }
  } finally {
    giveBack();
  }
};
