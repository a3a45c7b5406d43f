import fc from 'fast-check';
import { setTimeout as delay } from 'node:timers/promises';
import { projections } from '../../projections/index.ts';
import { toBuildProjection } from '../../src/projector/build-projection.ts';
import type { Build, ProjectionBuilds } from '../../src/builds/build-schema.ts';
import type { BuildRegistry } from '../../src/builds/registry.ts';
import { createProjectionOperations, type ProjectionOperations } from '../../src/builds/operations.ts';
import { activeBuild } from '../../src/builds/projection-builds.ts';
import { pendingReleases } from '../../src/builds/releases.ts';
import { handlerOf, type Projection } from '../../src/projector/projection.ts';
import type { ReadModelStore } from '../../src/read-models/port.ts';
import { eventually } from '../support/eventually.ts';
import { choices, histories, interleave, type PlacedEvent } from '../support/history.ts';
import { openMemoryBuildRegistry } from '../support/memory-build-registry.ts';
import { memoryLog, openMemoryEventStore, openMemoryReadModels } from '../support/memory-stores.ts';
import { checkpointsOf } from '../support/parked.ts';
import { documentsAfter, shownBy } from '../projections/applying.ts';
import { chanceOf, type Chance } from '../support/seeded.ts';
import { startReconciler, type RunningReconciler } from '../support/running-reconciler.ts';
import { ledger, misapplied } from './ledger.ts';
import { faulty, onTheWay, shaky, type Faults } from './memory-faults.ts';
import { newShared, sharedStore, type SharedStore } from './memory-leases.ts';
import { operate, unlessRefused } from './memory-operating.ts';
import { misparked, rememberSkips, type Poisoned, type Stand } from './memory-parked.ts';

const MAX_PROJECTORS = 4;
const TURNS = 15;
const ACTS = 4;
const MAX_PAUSE_MS = 80;
const ENDS_WITHIN_MS = 40_000;
const AS_USUAL = { throttle: null, keepHours: 0, isApproved: false, isStrict: true };
const all = [...projections, ledger];
const names = all.map(({ name }) => name);
const now = () => new Date().toISOString();

/** Without shared collections a projection is built in the event log's order. */
const inOrder = ({ shared: _, ...projection }: Projection): Projection => projection;

/** Resumes all projections; undefined until all active builds are at the head and no release is due. */
const atHead = async (
  { all: entriesNow, parked: parkedNow, resume }: ProjectionOperations,
  positionOf: (build: string) => Promise<string | undefined>,
  head: string,
): Promise<Stand | undefined> => {
  const positions = new Map<string, string | undefined>();
  for (const { name, active, paused } of (await entriesNow()).values()) {
    if (paused) await resume(name);
    positions.set(active, await positionOf(active));
  }
  const parked = await parkedNow();
  const records = await entriesNow();
  const isThere = (record: ProjectionBuilds): boolean => {
    const build = activeBuild(record);
    const isAsked = pendingReleases(build, parked.get(build.id)?.parked ?? []).length > 0;
    return build.step === 'ready' && positions.get(build.id) === head && !isAsked && !record.paused;
  };
  return records.size === all.length && [...records.values()].every(isThere) ? { records, parked } : undefined;
};

/** The result of one run. */
export interface ChaosOutcome {
  /** Streams that are parked and should not be, or the other way round. */
  readonly misparked: readonly string[];
  /** Streams of which events were applied twice, out of order or not at all. */
  readonly misapplied: readonly string[];
  /** Projections that committed documents after a failed commit without reading the checkpoint again. */
  readonly blind: readonly string[];
  /** The documents of all projections: as served, and as a replay of the whole event log gives them. */
  readonly served: readonly string[];
  readonly applied: readonly string[];
  /** How many parts of events were stored, and after how many of those the store failed or the process died. */
  readonly parts: Faults['parts'];
}

const outcomeOf = async (
  registry: BuildRegistry,
  readModels: ReadModelStore,
  log: ReturnType<typeof memoryLog>,
): Promise<Pick<ChaosOutcome, 'served' | 'applied'>> => {
  const records = await registry.all();
  const [served, applied]: [string[], string[]] = [[], []];
  for (const projection of projections) {
    const build = toBuildProjection(projection, records.get(projection.name)?.active ?? '');
    served.push(...(await shownBy(readModels, build)));
    applied.push(...(await documentsAfter(build, log)));
  }
  return { served, applied };
};

const poisonIn = (events: readonly PlacedEvent[], chance: Chance): Poisoned[] => {
  const poisoned = (): Poisoned => {
    const projection = chance.oneOf(all);
    const { stream, revision } = chance.oneOf(events.filter(({ type }) => handlerOf(projection, type)));
    return { projection: projection.name, stream, revision };
  };
  return Array.from({ length: chance.below(6) }, poisoned);
};

/** A history of which every projection applies some events, its streams interleaved at random. */
const historyOf = (seed: number): PlacedEvent[] => {
  const isFolded = (events: readonly PlacedEvent[]) =>
    all.every((projection) => events.some(({ type }) => handlerOf(projection, type)));
  const arbitrary = fc.tuple(histories, choices).map(([history, order]) => interleave(history, order));
  const [events] = fc.sample(arbitrary.filter(isFolded), { numRuns: 1, seed });
  if (!events) throw new Error('There is no history');
  return events;
};

/**
 * One run: a history grows while projectors start, stop and are killed, stores and handlers fail, and an operator acts.
 * Then only poison events fail; then handlers are fixed; then projections with skipped events are rebuilt.
 */
export const chaosRun = async (seed: number): Promise<ChaosOutcome> => {
  const chance = chanceOf(seed);
  const events = historyOf(seed);
  const poison = poisonIn(events, chance);
  // A generator of its own, so that the run's acts do not depend on how often stores and handlers are called.
  const faults: Faults = {
    chance: chanceOf(~seed),
    isCalm: false,
    poison,
    failed: new Map(),
    parts: { stored: 0, brokenOff: 0 },
    blind: [],
  };
  const log = memoryLog();
  const eventStore = openMemoryEventStore(log);
  const isGrouped = chance.isTrue(0.5);
  const readModels = openMemoryReadModels();
  const { registry, skippedOf, hasSkipped } = rememberSkips(openMemoryBuildRegistry());
  const operations = createProjectionOperations(registry, all, checkpointsOf(registry, readModels), now);
  const shared = newShared();
  const running: (RunningReconciler & Pick<SharedStore, 'kill' | 'isDead'>)[] = [];
  let started = 0;
  const told: string[] = [];

  const start = async (): Promise<void> => {
    const me = `projector-${started++}`;
    const { store, kill, isDead } = sharedStore(readModels, shared, { me, onTheWay: onTheWay(faults) });
    const reconciling = await startReconciler({
      registry,
      eventStore,
      readModels: shaky(store, faults, kill),
      projections: all.map((projection) => faulty(isGrouped ? projection : inOrder(projection), faults)),
      onError: (name, error) => told.push(`${me} ${name}: ${String(error)}`),
      batchSize: 1 + chance.below(20),
      maxWaiting: 1 + chance.below(20),
      maxDocuments: chance.oneOf([1, 1, 2, 3, 5, 20]),
      idleMs: chance.oneOf([50, 1_000]),
    });
    running.push({ ...reconciling, kill, isDead });
  };
  const end = async (isKilled: boolean): Promise<void> => {
    const [one] = running.splice(chance.below(running.length), 1);
    if (isKilled) one?.kill();
    await one?.stop();
  };
  /** Stops the projectors that died at a commit. */
  const bury = async (): Promise<void> => {
    const dead = running.filter(({ isDead }) => isDead());
    for (const one of dead) {
      running.splice(running.indexOf(one), 1);
      await one.stop();
    }
  };
  const append = async (count: number): Promise<void> => {
    for (const { stream, revision, ...event } of events.splice(0, count))
      await eventStore.append({ stream, expectedRevision: revision - 1, events: [event] });
  };
  const act = async (): Promise<void> => {
    const fate = chance.next();
    if (running.length === 0 || (running.length < MAX_PROJECTORS && fate < 0.25)) await start();
    else if (fate < 0.4) await end(chance.isTrue(0.5));
    else if (fate < 0.5) shared.holders.delete(chance.oneOf([...shared.holders.keys(), 'nothing']));
    else for (let acts = 0; acts < ACTS; acts++) await operate(operations, names, chance);
  };
  /** The state of all builds, for the message of a failure. */
  const toldNow = async (head: string): Promise<string> => {
    const [records, checkpoints] = [await registry.all(), await operations.parked()];
    const lines = [...records.values()].flatMap(({ active, paused, builds }) =>
      builds.map(({ id, step, releases }) => {
        const { parked = [], ...rest } = checkpoints.get(id) ?? {};
        const streams = parked.map(({ stream, revision, release }) => ({ stream, revision, release }));
        return JSON.stringify({ id, isActive: id === active, paused, step, rest, streams, releases });
      }),
    );
    const holders = JSON.stringify([...shared.holders]);
    return [`head ${head}, leases ${holders}`, ...lines, ...told.slice(-10)].join('\n');
  };
  /** Waits until all active builds are at the head and a condition holds; gives the state then. */
  const settled = async (what: string, holds: (stand: Stand) => Promise<boolean> | boolean) => {
    const head = await eventStore.head();
    const positionOf = async (build: string) => (await readModels.checkpointOf(build))?.position;
    let stand: Stand | undefined;
    const isSo = async () => {
      stand = await atHead(operations, positionOf, head);
      return stand !== undefined && (await holds(stand));
    };
    await eventually(what, isSo, ENDS_WITHIN_MS).catch(async (error: unknown) => {
      throw new Error(`${String(error)}; ${await toldNow(head)}`);
    });
    return stand ?? { records: new Map<string, ProjectionBuilds>(), parked: new Map() };
  };
  /**
   * Retries all parked streams; true when none is left but those that may need a skipped event, and no build is under
   * way that may be served with a stream that it has parked while handlers failed.
   */
  const isHealed = async ({ records, parked }: Stand): Promise<boolean> => {
    const isParked = ({ id }: Pick<Build, 'id'>) => (parked.get(id)?.parked.length ?? 0) > 0;
    const waiting = [...records.values()].filter(({ builds }) => builds.some(isParked));
    for (const { name } of waiting) await unlessRefused(() => operations.retry(name, undefined));
    const isNeeded = ({ name }: ProjectionBuilds) => name !== ledger.name && hasSkipped(name);
    const isUnderWay = ({ builds }: ProjectionBuilds) =>
      builds.some(({ step }) => step === 'build' || step === 'verify');
    return (
      waiting.every((record) => isNeeded(record) || !isParked(activeBuild(record))) &&
      ![...records.values()].some(isUnderWay)
    );
  };
  /** Rebuilds the projections that have skipped events, since a skip cannot be taken back. */
  const rebuilt = async (): Promise<void> => {
    const ids = new Map<string, string>();
    for (const { name } of all.filter((each) => hasSkipped(each.name))) {
      await unlessRefused(() => operations.cancel(name));
      for (const { build } of await operations.rebuild([name], { ...AS_USUAL, isApproved: true })) ids.set(name, build);
    }
    await settled('what left out events is rebuilt', ({ records }) =>
      [...ids].every(([name, id]) => records.get(name)?.active === id),
    );
  };

  try {
    const each = Math.ceil(events.length / TURNS);
    for (let turn = 0; turn < TURNS; turn++) {
      await append(each);
      await bury();
      await act();
      await delay(chance.next() * MAX_PAUSE_MS);
    }
    faults.isCalm = true;
    await bury();
    if (running.length === 0) await start();
    const held = await settled('all is applied but what is parked', () => true);
    faults.poison = [];
    const healed = await settled('nothing is parked', isHealed);
    const wrong = {
      misparked: misparked(held, poison, skippedOf, log),
      misapplied: await misapplied(readModels, healed.records.get(ledger.name)?.active ?? '', log, skippedOf),
    };
    await rebuilt();
    const { blind, parts } = faults;
    return { ...wrong, blind, parts, ...(await outcomeOf(registry, readModels, log)) };
  } finally {
    faults.isCalm = true;
    await Promise.all(running.map((one) => one.stop()));
  }
};
