import fc from 'fast-check';
import { setTimeout as delay } from 'node:timers/promises';
import { projections } from '../../projections/index.ts';
import { buildProjection } from '../../src/builds/build-projection.ts';
import type { Entry } from '../../src/builds/build.ts';
import type { Catalogue } from '../../src/builds/catalogue.ts';
import { createOperations, type Operations } from '../../src/builds/operations.ts';
import { liveBuild } from '../../src/builds/entry.ts';
import { Refusal } from '../../src/errors.ts';
import { handlerOf } from '../../src/projection.ts';
import type { ReadModelStore } from '../../src/read-models/port.ts';
import { eventually } from '../eventually.ts';
import { choices, histories, interleave, type PlacedEvent } from '../history.ts';
import { openMemoryCatalogue } from '../memory-catalogue.ts';
import { memoryLog, openMemoryEventStore, openMemoryReadModels } from '../memory-stores.ts';
import { withStreams } from '../memory-streams.ts';
import { foldAll, shownBy } from '../projections/folding.ts';
import { chanceOf, type Chance } from '../seeded.ts';
import { startSupervised, type Supervised } from '../supervised.ts';
import { ledger, misfolded } from './ledger.ts';
import { faulty, shaky, type Faults } from './memory-faults.ts';
import { sharedStore, type Holders } from './memory-leases.ts';
import { misheld, rememberWaits, type Poisoned } from './memory-waits.ts';

const MOST_PROJECTORS = 4;
const TURNS = 15;
const ACTS = 4;
const MOST_PAUSE_MS = 80;
const ENDS_WITHIN_MS = 40_000;
const AS_USUAL = { throttle: null, keepHours: 0, isApproved: false, isStrict: true };
const all = [...projections, ledger];
const now = () => new Date().toISOString();

const asked = (chance: Chance) => ({
  throttle: chance.isTrue(0.5) ? 100 + chance.below(2_000) : null,
  keepHours: chance.oneOf([0, 1]),
  isApproved: chance.isTrue(0.3),
  isStrict: chance.isTrue(0.5),
});

/** Asks to leave out an event at which a stream of a projection waits, if one does. */
const skipOne = async ({ all, skip }: Operations, name: string, which: number): Promise<void> => {
  const builds = (await all()).get(name)?.builds ?? [];
  const waiting = builds.flatMap(({ quarantined }) => quarantined);
  const chosen = waiting[Math.floor(which * waiting.length)];
  if (chosen) await skip(name, chosen.stream);
};

/** Asks for something of one projection; that it cannot be done now is an answer. */
const operate = async (operations: Operations, chance: Chance): Promise<void> => {
  const { name } = chance.oneOf(all);
  const acts: readonly (() => Promise<unknown>)[] = [
    () => operations.rebuild(name, asked(chance)),
    () => operations.rebuild(name, asked(chance)),
    () => operations.verify(name, null),
    () => operations.pause(name, 'chaos'),
    () => operations.resume(name),
    () => operations.rollBack(name),
    () => operations.cancel(name),
    () => operations.retry(name, undefined),
    // Twice, as it is seldom that something waits.
    () => skipOne(operations, name, chance.next()),
    () => skipOne(operations, name, chance.next()),
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

type Entries = ReadonlyMap<string, Entry>;

/** What is known of the builds once all that is served is at the head and nothing is asked for; all is resumed. */
const atHead = async (
  { all: entriesNow, resume }: Operations,
  readModels: ReadModelStore,
  head: string,
): Promise<Entries | undefined> => {
  const positions = new Map<string, string | undefined>();
  for (const { name, live, paused } of (await entriesNow()).values()) {
    if (paused) await resume(name);
    positions.set(live, await readModels.checkpointOf(live));
  }
  // What waits was recorded before a checkpoint passed it, and so is known now.
  const entries = await entriesNow();
  const isThere = (entry: Entry): boolean => {
    const { id, step, quarantined } = liveBuild(entry);
    const isAsked = quarantined.some(({ request }) => request !== 'none');
    return step === 'ready' && positions.get(id) === head && !isAsked && !entry.paused;
  };
  return entries.size === all.length && [...entries.values()].every(isThere) ? entries : undefined;
};

/** What one run has come to. */
export interface ChaosOutcome {
  /** Streams that waited and should not have, or the other way round, in words. */
  readonly misheld: readonly string[];
  /** Streams of which events were folded twice, in another order or not at all, in words. */
  readonly misfolded: readonly string[];
  /** Of each projection, what is served and what a fold of the whole log says. */
  readonly served: readonly string[];
  readonly folded: readonly string[];
}

const outcomeOf = async (
  catalogue: Catalogue,
  readModels: ReadModelStore,
  log: ReturnType<typeof memoryLog>,
): Promise<Pick<ChaosOutcome, 'served' | 'folded'>> => {
  const entries = await catalogue.all();
  const [served, folded]: [string[], string[]] = [[], []];
  for (const projection of projections) {
    const build = buildProjection(projection, entries.get(projection.name)?.live ?? '');
    served.push(...(await shownBy(readModels, build)));
    folded.push(...(await foldAll(build, log)));
  }
  return { served, folded };
};

/** Events of a history that some projections cannot fold. */
const poisonIn = (events: readonly PlacedEvent[], chance: Chance): Poisoned[] => {
  const poisoned = (): Poisoned => {
    const projection = chance.oneOf(all);
    const { stream, revision } = chance.oneOf(events.filter(({ type }) => handlerOf(projection, type)));
    return { projection: projection.name, stream, revision };
  };
  return Array.from({ length: chance.below(6) }, poisoned);
};

/** A history whose every projection folds some of its events, in an order of its own. */
const historyOf = (seed: number): PlacedEvent[] => {
  const isFolded = (events: readonly PlacedEvent[]) =>
    all.every((projection) => events.some(({ type }) => handlerOf(projection, type)));
  const arbitrary = fc.tuple(histories, choices).map(([history, order]) => interleave(history, order));
  const [events] = fc.sample(arbitrary.filter(isFolded), { numRuns: 1, seed });
  if (!events) throw new Error('There is no history');
  return events;
};

/**
 * One run: a history grows while projectors start, stop and are killed, stores and handlers fail, and somebody operates. Then
 * nothing fails any more but the handlers of some events; then they are mended; then what leaves out events is rebuilt.
 */
export const chaosRun = async (seed: number): Promise<ChaosOutcome> => {
  const chance = chanceOf(seed);
  const events = historyOf(seed);
  const poison = poisonIn(events, chance);
  // Apart, so that what is done does not depend on when stores and handlers are called.
  const faults: Faults = { chance: chanceOf(~seed), isCalm: false, poison, failed: new Map() };
  const log = memoryLog();
  const plain = openMemoryEventStore(log);
  const eventStore = chance.isTrue(0.5) ? withStreams(plain, log) : plain;
  const readModels = openMemoryReadModels();
  const { catalogue, waitsOf, hasSkipped } = rememberWaits(openMemoryCatalogue());
  const operations = createOperations(catalogue, all, now);
  const holders: Holders = new Map<string, string>();
  const running: (Supervised & { readonly kill: () => void })[] = [];
  let started = 0;

  const start = async (): Promise<void> => {
    const { store, kill } = sharedStore(readModels, holders, `projector-${started++}`);
    const supervised = await startSupervised({
      catalogue,
      eventStore,
      readModels: shaky(store, faults),
      projections: all.map((projection) => faulty(projection, faults)),
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
    else for (let acts = 0; acts < ACTS; acts++) await operate(operations, chance);
  };
  /** What is known once all is at the head, and something holds of it. */
  const settled = async (what: string, holds: (entries: Entries) => Promise<boolean> | boolean) => {
    const head = await eventStore.head();
    let entries: Entries | undefined;
    const isSo = async () => {
      entries = await atHead(operations, readModels, head);
      return entries !== undefined && (await holds(entries));
    };
    await eventually(what, isSo, ENDS_WITHIN_MS);
    return entries ?? new Map<string, Entry>();
  };
  /** Has what waits folded again; true when nothing does, but for what needs an event that was left out. */
  const isHealed = async (entries: Entries): Promise<boolean> => {
    const waiting = [...entries.values()].filter(({ builds }) =>
      builds.some(({ quarantined }) => quarantined.length > 0),
    );
    for (const { name } of waiting) await unlessRefused(() => operations.retry(name, undefined));
    const isNeeded = ({ name }: Entry) => name !== ledger.name && hasSkipped(name);
    return waiting.every((entry) => isNeeded(entry) || liveBuild(entry).quarantined.length === 0);
  };
  /** Once more from the log, as what was left out stays so. */
  const rebuilt = async (): Promise<void> => {
    const ids = new Map<string, string>();
    for (const { name } of all.filter((each) => hasSkipped(each.name))) {
      await unlessRefused(() => operations.cancel(name));
      ids.set(name, await operations.rebuild(name, { ...AS_USUAL, isApproved: true }));
    }
    await settled('what left out events is rebuilt', (entries) =>
      [...ids].every(([name, id]) => entries.get(name)?.live === id),
    );
  };

  try {
    const each = Math.ceil(events.length / TURNS);
    for (let turn = 0; turn < TURNS; turn++) {
      await append(each);
      await act();
      await delay(chance.next() * MOST_PAUSE_MS);
    }
    faults.isCalm = true;
    if (running.length === 0) await start();
    const held = await settled('all is folded but what waits', () => true);
    faults.poison = [];
    const healed = await settled('nothing waits', isHealed);
    const wrong = {
      misheld: misheld(held.values(), poison, waitsOf),
      misfolded: await misfolded(readModels, healed.get(ledger.name)?.live ?? '', log, waitsOf),
    };
    await rebuilt();
    return { ...wrong, ...(await outcomeOf(catalogue, readModels, log)) };
  } finally {
    faults.isCalm = true;
    await Promise.all(running.map((one) => one.stop()));
  }
};
