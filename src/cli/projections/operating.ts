import { projections } from '../../../projections/index.ts';
import { auditedOperations } from '../../builds/audited-operations.ts';
import { createOperations, type Operations } from '../../builds/operations.ts';
import { DirectoryInUse } from '../parts/data-directory.ts';
import { hiring } from '../../hiring/index.ts';
import { hostProjector } from '../../projector-threads/host.ts';
import type { Checkpoint } from '../../read-models/port.ts';
import { isOfDamage } from '../../event-store/port.ts';
import { openBuildRegistry, openReadModels, refuseUnusable, type StoreSettings } from '../../stores.ts';
import { lockDataDirectories } from '../parts/data-directories.ts';
import { auditedIn, prepareLog } from '../parts/audit.ts';
import { logConfigOf } from '../parts/event-file.ts';
import { useKnownLog } from '../parts/known-log.ts';
import { CliError } from '../parts/cli-error.ts';
import { endingOf, type Terminal } from '../parts/terminal.ts';
import { using } from '../../lib/using.ts';
import { whileInUse } from './while-in-use.ts';
import { print } from '../parts/print.ts';

/** The given names, or all. @throws CliError for none, and for an unknown one */
export const chosen = (names: readonly string[], isAll: boolean | undefined): readonly string[] => {
  const known = projections.map(({ name }) => name);
  if (isAll === true) return known;
  const allowed = `allowed: ${known.join(', ')}`;
  if (names.length === 0) throw new CliError(`Name a projection, or say --all; ${allowed}`);
  // Checked before any build is begun.
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new CliError(`There is no projection ${unknown}; ${allowed}`);
  return [...new Set(names)];
};

/** Reads the checkpoints of all builds anew at each call. */
const checkpointsIn =
  ({ readModels }: StoreSettings) =>
  (): Promise<ReadonlyMap<string, Checkpoint>> =>
    using(openReadModels(readModels), (reader) => reader.checkpoints());

/** Acts with operations on the stores, each recorded. @throws CliError for what is refused or cannot be recorded */
export const withOperations = async <T>(
  terminal: Terminal,
  act: (operations: Operations, stores: StoreSettings) => Promise<T>,
): Promise<T> => {
  const config = logConfigOf(terminal);
  const { stores } = config;
  await refuseUnusable(stores);
  await useKnownLog(terminal, config);
  return await using(openBuildRegistry(stores.readModels), (registry) => {
    const operations = createOperations(registry, projections, checkpointsIn(stores), () =>
      new Date().toISOString(),
    );
    return act(auditedOperations(operations, auditedIn(stores.eventStore)), stores);
  });
};

/** What goes on where a command is ended before what was requested is done; the request itself stays. */
const GIVE_UP = 'hiring projections list shows it, and cancel gives a build up';
const IN_SERVICE = `; the service goes on with it: ${GIVE_UP}`;
const HERE = `; nothing goes on with it until the service starts, or the same command again: ${GIVE_UP}`;
const ON_SERVERS = `; instances that run go on with it, or the next to start: ${GIVE_UP}`;

const CHECK = 'hiring check says what the event log still holds';

/** Waits for what a projector does meanwhile. @throws what the signal is aborted with */
type Wait<T> = (signal: AbortSignal) => Promise<T>;

/**
 * Runs a projector in this process while something waits for its work. Where a service has the same files, its
 * projector does the work; on servers instances share it with this process.
 *
 * @throws CliError when that service has ended
 */
export const withProjector = async <T>(
  terminal: Terminal,
  stores: StoreSettings,
  wait: Wait<T>,
): Promise<T> => {
  const { stderr, threads } = terminal;
  const take = () => lockDataDirectories([stores.eventStore, stores.readModels]);
  let giveBack: () => void;
  try {
    giveBack = take();
  } catch (error) {
    if (error instanceof DirectoryInUse) {
      const ending = endingOf(terminal, IN_SERVICE);
      return whileInUse(take, (signal) => wait(AbortSignal.any([signal, ending])));
    }
    throw error;
  }
  try {
    await prepareLog(stores.eventStore, { startWriter: threads?.writer });
    let failure: string | undefined;
    const damaged = new AbortController();
    const host = await hostProjector({
      stores,
      servesRequests: false,
      projections,
      startThread: threads?.projector ?? hiring.startProjector,
      onError: (name, error) => {
        failure = error instanceof Error ? error.message : String(error);
        // No try makes it sound.
        if (isOfDamage(error)) damaged.abort(new CliError(`${name}: ${failure}; ${CHECK}`));
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
        print(
          stderr,
          `The projector's thread ${isHung ? 'has not answered for 10 seconds' : 'answers again'}`,
        ),
      onWarning: (line) => print(stderr, line),
    });
    try {
      const ending = endingOf(terminal, stores.eventStore.kind === 'sqlite' ? HERE : ON_SERVERS);
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
