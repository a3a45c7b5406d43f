import { createCommandHandler } from '../../application/handle-command.ts';
import { NO_STREAM, START_POSITION, type AppendRequest, type EventStore } from '../../event-store/port.ts';
import { compareByCodePoint } from '../../lib/compare-by-code-point.ts';
import { errorMessageOf } from '../../lib/error.ts';
import { whenAllSettled } from '../../lib/when-all-settled.ts';
import type { PlannedCommand } from './activity.ts';
import { planWorldCommands, seedPorts } from './plan.ts';
import type { WorldOptions } from './world.ts';

export interface SeedProgress {
  /** Commands carried out so far, of `total`. */
  readonly commands: number;
  readonly total: number;
}

interface SeedInput {
  readonly eventStore: EventStore;
  readonly options: WorldOptions;
  readonly onProgress?: (progress: SeedProgress) => void;
}

/** A command's own event is appended after those that it needs, and a sort by this keeps their order. */
const placeOf = ({ events: [first] }: AppendRequest): string =>
  JSON.stringify([first?.metadata['recordedAt'], first?.metadata['requestId']]);

/**
 * Carries out commands on different streams, and then appends their events in the order of their times. What is stored
 * already of a batch, as its appending was interrupted, is decided again, and not appended again.
 */
export const createBatchHandler = (eventStore: EventStore) => {
  const [appends, requests, stored] = [new Map<string, AppendRequest>(), new Set<unknown>(), new Set<string>()];
  const readStream: EventStore['readStream'] = async (stream, from) => {
    const events = await eventStore.readStream(stream, from);
    return events.filter(({ id, metadata }) => {
      const isOfBatch = requests.has(metadata['requestId']);
      if (isOfBatch) stored.add(id);
      return !isOfBatch;
    });
  };
  const append: EventStore['append'] = async (append) => {
    const { stream, expectedRevision, events } = append;
    const before = appends.get(stream);
    // The cached state may be an old one, where another command of a batch has read the stream.
    if (!before && expectedRevision !== NO_STREAM && (await readStream(stream, expectedRevision + 1)).length > 0)
      return { kind: 'wrong-revision' };
    appends.set(stream, before ? { ...before, events: [...before.events, ...events] } : append);
    // Nothing asks for the positions of a batch's events before they are stored.
    return { kind: 'appended', position: START_POSITION };
  };
  const { handle } = createCommandHandler({ ...eventStore, readStream, append }, seedPorts);
  const carryOut = async ({ command, envelope, ports }: PlannedCommand) => {
    try {
      await handle(command, envelope, ports);
    } catch (error) {
      throw new Error(`The seed's ${command.name} of ${ports.clock().toISOString()} failed: ${errorMessageOf(error)}`, {
        cause: error,
      });
    }
  };
  const store = async (inOrder: readonly AppendRequest[]) => {
    const refused = await eventStore.appendInOrder(inOrder);
    if (refused !== undefined) throw new Error(`Another program has appended to the stream ${refused}`);
  };
  let storing = Promise.resolve();
  /**
   * Resolves once the batch is decided, and the one before it stored: the next one is planned while this one is stored.
   *
   * @throws Error for the first command that failed, and then nothing of the batch is stored; or LogUnavailableError
   */
  return async (batch: readonly PlannedCommand[]): Promise<void> => {
    await storing;
    for (const { envelope } of batch) requests.add(envelope.requestId);
    await whenAllSettled(batch.map(carryOut));
    const inOrder = [...appends.values()]
      .filter(({ events: [first] }) => first && !stored.has(first.id))
      .sort((a, b) => compareByCodePoint(placeOf(a), placeOf(b)));
    for (const gathered of [appends, requests, stored]) gathered.clear();
    storing = store(inOrder);
    // The next call throws a failure.
    storing.catch(() => undefined);
  };
};

const PAGE_SIZE = 1_000;

/** Tells of one command of a plan after the other whether the log has its event, until it has one no more. */
const readDone = (eventStore: EventStore) => {
  async function* read() {
    for (let page = await eventStore.readAll(START_POSITION, PAGE_SIZE); ;) {
      yield* page;
      const last = page.at(-1);
      if (!last) return;
      page = await eventStore.readAll(last.position, PAGE_SIZE);
    }
  }
  const stored = read();
  return async ({ command, envelope }: PlannedCommand): Promise<boolean> => {
    for (;;) {
      const { value, done } = await stored.next();
      if (done) return false;
      const { stream, metadata } = value;
      if (metadata['requestId'] === envelope.requestId && stream.startsWith(`${command.decider.category}-`))
        return true;
    }
  };
};

/**
 * Makes a world through the service's own commands, the same for the same options. Its events are stored in the order
 * of the plan: where the world is there already, whole or in part, the rest is appended.
 *
 * @returns the number of commands of the world
 * @throws Error for the first command that failed; nothing is under way any more then
 */
export const seedWorld = async ({ eventStore, options, onProgress }: SeedInput): Promise<number> => {
  const isDone = readDone(eventStore);
  const carryOut = createBatchHandler(eventStore);
  const { total, batches } = planWorldCommands(options);
  let commands = 0;
  for (const batch of batches) {
    const missing: PlannedCommand[] = [];
    for (const planned of batch) if (!(await isDone(planned))) missing.push(planned);
    await carryOut(missing);
    commands += batch.length;
    onProgress?.({ commands, total });
  }
  await carryOut([]);
  return commands;
};
