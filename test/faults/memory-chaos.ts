import fc from 'fast-check';
import { setTimeout as delay } from 'node:timers/promises';
import { projections } from '../../projections/index.ts';
import { buildProjection } from '../../src/builds/build-projection.ts';
import type { Catalogue } from '../../src/builds/catalogue.ts';
import { createOperations, type Operations } from '../../src/builds/operations.ts';
import { Refusal } from '../../src/errors.ts';
import type { Documents, Projection } from '../../src/projection.ts';
import type { ReadModelStore } from '../../src/read-models/port.ts';
import { eventually } from '../eventually.ts';
import { choices, histories, interleave } from '../history.ts';
import { openMemoryCatalogue } from '../memory-catalogue.ts';
import { memoryLog, openMemoryEventStore, openMemoryReadModels } from '../memory-stores.ts';
import { foldAll, shownBy } from '../projections/folding.ts';
import { chanceOf, type Chance } from '../seeded.ts';
import { startSupervised, type Supervised } from '../supervised.ts';
import { sharedStore, type Holders } from './memory-leases.ts';

const MOST_PROJECTORS = 4;
const TURNS = 15;
const MOST_PAUSE_MS = 40;
const ENDS_WITHIN_MS = 40_000;
const now = () => new Date().toISOString();

/** What goes wrong, until it is over. */
interface Faults {
  readonly chance: Chance;
  isOver: boolean;
  /** As JSON, with the projection's name before them: events that it cannot fold. */
  readonly poison: ReadonlySet<string>;
}

const shake = async (faults: Faults): Promise<void> => {
  if (faults.isOver) return;
  if (faults.chance.isTrue(0.2)) await delay(faults.chance.next() * 5);
  if (faults.chance.isTrue(0.02)) throw new Error('the store is away');
};

/** A store that is slow, and fails before or after it has done what it was asked for. */
const shaky = (store: ReadModelStore, faults: Faults): ReadModelStore => ({
  ...store,
  async prepare(projection) {
    await shake(faults);
    return store.prepare(projection);
  },
  async commit(projection, writes, checkpoint) {
    await shake(faults);
    await store.commit(projection, writes, checkpoint);
    await shake(faults);
  },
  async get(collection, id) {
    await shake(faults);
    return store.get(collection, id);
  },
});

/** The same projection with handlers that fail now and then, and at some events always. */
const faulty = (projection: Projection, faults: Faults): Projection => ({
  ...projection,
  handlers: Object.fromEntries(
    Object.entries(projection.handlers).map(([type, handle]) => [
      type,
      async (event: never, documents: Documents) => {
        await handle(event, documents);
        if (faults.isOver) return;
        if (faults.poison.has(`${projection.name} ${JSON.stringify(event)}`)) throw new Error('poison');
        if (faults.chance.isTrue(0.01)) throw new Error('not this time');
      },
    ]),
  ),
});

const asked = (chance: Chance) => ({
  throttle: chance.isTrue(0.5) ? 100 + chance.below(2_000) : null,
  keepHours: chance.oneOf([0, 1]),
  isApproved: chance.isTrue(0.3),
  isStrict: chance.isTrue(0.5),
});

/** Asks for something of one projection; that it cannot be done now is an answer. */
const operate = async (operations: Operations, chance: Chance): Promise<void> => {
  const { name } = chance.oneOf(projections);
  const acts: readonly (() => Promise<unknown>)[] = [
    () => operations.rebuild(name, asked(chance)),
    () => operations.rebuild(name, asked(chance)),
    () => operations.verify(name, null),
    () => operations.pause(name, 'chaos'),
    () => operations.resume(name),
    () => operations.rollBack(name),
    () => operations.cancel(name),
    () => operations.retry(name, undefined),
  ];
  await unlessRefused(chance.oneOf(acts));
};

const unlessRefused = async (act: () => Promise<unknown>): Promise<void> => {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
};

/** Has what was asked for come to its end: all is resumed, and what waits is folded again. */
const isSettled = async (
  { all, resume, retry }: Operations,
  readModels: ReadModelStore,
  head: string,
): Promise<boolean> => {
  let isDone = true;
  for (const { name, live, builds, paused } of (await all()).values()) {
    if (paused) await resume(name);
    const waits = builds.some(({ quarantined }) => quarantined.some(({ request }) => request === 'none'));
    if (waits) await unlessRefused(() => retry(name, undefined));
    const build = builds.find(({ id }) => id === live);
    const position = await readModels.checkpointOf(live);
    isDone &&= build?.step === 'ready' && build.quarantined.length === 0 && position === head && !paused;
  }
  return isDone;
};

/** Of each projection, what is served and what a fold of the whole log says. */
export interface ChaosOutcome {
  readonly served: readonly string[];
  readonly folded: readonly string[];
}

const outcomeOf = async (
  catalogue: Catalogue,
  readModels: ReadModelStore,
  log: ReturnType<typeof memoryLog>,
): Promise<ChaosOutcome> => {
  const entries = await catalogue.all();
  const [served, folded]: [string[], string[]] = [[], []];
  for (const projection of projections) {
    const build = buildProjection(projection, entries.get(projection.name)?.live ?? '');
    served.push(...(await shownBy(readModels, build)));
    folded.push(...(await foldAll(build, log)));
  }
  return { served, folded };
};

/** One run: a history grows while projectors start, stop and are killed, stores and handlers fail, and somebody operates. */
export const chaosRun = async (seed: number): Promise<ChaosOutcome> => {
  const chance = chanceOf(seed);
  const [sample] = fc.sample(fc.tuple(histories, choices), { numRuns: 1, seed });
  if (!sample) throw new Error('There is no history');
  const events = interleave(...sample);
  const poisoned = (): string => {
    const { type, data, metadata } = chance.oneOf(events);
    return `${chance.oneOf(projections).name} ${JSON.stringify({ type, data, metadata })}`;
  };
  const poison = new Set(Array.from({ length: chance.below(6) }, poisoned));
  const faults: Faults = { chance, isOver: false, poison };
  const log = memoryLog();
  const eventStore = openMemoryEventStore(log);
  const readModels = openMemoryReadModels();
  const catalogue = openMemoryCatalogue();
  const operations = createOperations(catalogue, projections, now);
  const holders: Holders = new Map<string, string>();
  const running: (Supervised & { readonly kill: () => void })[] = [];
  let started = 0;

  const start = async (): Promise<void> => {
    const { store, kill } = sharedStore(readModels, holders, `projector-${started++}`);
    const supervised = await startSupervised({
      catalogue,
      eventStore,
      readModels: shaky(store, faults),
      projections: projections.map((projection) => faulty(projection, faults)),
      batchSize: 1 + chance.below(20),
      mostWaiting: 1 + chance.below(20),
    });
    running.push({ ...supervised, kill });
  };
  const end = async (isKilled: boolean): Promise<void> => {
    const [one] = running.splice(chance.below(running.length), 1);
    if (isKilled) one?.kill();
    await one?.stop();
  };
  const append = async (count: number): Promise<void> => {
    for (const { stream, revision, ...event } of events.splice(0, count))
      await eventStore.append({ stream, expectedRevision: revision - 1, events: [event] });
  };
  const act = async (): Promise<void> => {
    const fate = chance.next();
    if (running.length === 0 || (running.length < MOST_PROJECTORS && fate < 0.25)) await start();
    else if (fate < 0.4) await end(chance.isTrue(0.5));
    else if (fate < 0.5) holders.delete(chance.oneOf([...holders.keys(), 'nothing']));
    else await operate(operations, chance);
  };

  try {
    const each = Math.ceil(events.length / TURNS);
    for (let turn = 0; turn < TURNS; turn++) {
      await append(each);
      await act();
      await delay(chance.next() * MOST_PAUSE_MS);
    }
    faults.isOver = true;
    if (running.length === 0) await start();
    const head = await eventStore.head();
    await eventually('all is served', () => isSettled(operations, readModels, head), ENDS_WITHIN_MS);
  } finally {
    faults.isOver = true;
    await Promise.all(running.map((each) => each.stop()));
  }
  return outcomeOf(catalogue, readModels, log);
};
