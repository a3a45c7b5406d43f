import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { readLastEventPointer } from '../event-store/identity.ts';
import { START_POSITION, type EventLog } from '../event-store/port.ts';
import { backoffMs } from '../lib/backoff.ts';
import { createLeakyBucket } from '../lib/leaky-bucket.ts';
import type { ReadModelStore } from '../read-models/port.ts';
import { toLazilyDecodedEvent } from './apply-event.ts';
import type { ApplyGroups } from './apply-groups.ts';
import { EVENT_PARTITION_KEY, typesApplied } from './projection.ts';
import type { ProjectionRunner } from './runner.ts';

interface SubscriptionContext {
  readonly eventStore: Pick<EventLog, 'subscribe' | 'head' | 'recordAt'>;
  readonly readModels: Pick<ReadModelStore, 'maxInserted'>;
  readonly applyGroups: ApplyGroups;
  /** For the events of builds, where no target asks for another number. */
  readonly threads: number;
  readonly batchSize: number;
  /** How long documents may wait to be stored. */
  readonly storeEveryMs: number;
  readonly retryAfterMs: { readonly min: number; readonly max: number };
  readonly signal: AbortSignal;
  /** Given each subscription's run, which never rejects. */
  readonly track: (run: Promise<void>) => void;
}

/**
 * Has some runners share a subscription, and build what is not built yet, until the signal is aborted. One that fails
 * goes on by itself, after a pause.
 *
 * @param failures how often they have failed since they last made progress
 */
export const subscribeTogether = (
  runners: readonly ProjectionRunner[],
  context: SubscriptionContext,
  failures = 0,
): void => {
  if (runners.length > 0) context.track(new Subscription(runners, context, failures).run());
};

const typesOf = (runners: readonly ProjectionRunner[]) => typesApplied(runners.map(({ projection }) => projection));

const positionsOf = (runners: readonly ProjectionRunner[]): string =>
  runners.map(({ checkpoint }) => checkpoint.position).join();

/** Events a second at most. */
const throttleOf = (runners: readonly ProjectionRunner[]): number =>
  Math.min(...runners.map(({ target }) => target.throttle ?? Infinity));

/**
 * Sorts runners that are still to be built by groups into passes, each of one place to begin at.
 *
 * @param threads most passes of the same events, each of which can have its own thread
 */
const passesOf = (runners: readonly ProjectionRunner[], threads: number): ProjectionRunner[][] => {
  const alike = new Map<string, ProjectionRunner[]>();
  for (const runner of runners) {
    const { projection, checkpoint } = runner;
    if (checkpoint.position !== START_POSITION || !projection.shared) continue;
    const { upTo, group } = checkpoint.building ?? {};
    const key = JSON.stringify([upTo, group]);
    alike.set(key, [...(alike.get(key) ?? []), runner]);
  }
  return [...alike.values()].flatMap((all) => {
    const passes = Array.from({ length: Math.min(threads, all.length) }, (): ProjectionRunner[] => []);
    for (const [index, runner] of all.entries()) passes[index % passes.length]?.push(runner);
    return passes;
  });
};

class Subscription {
  readonly #context: SubscriptionContext;
  readonly #failures: number;
  /** Those that it began with, and where they stood then. */
  readonly #all: readonly ProjectionRunner[];
  readonly #before: string;
  readonly #interrupt = new AbortController();
  readonly #signal: AbortSignal;
  /** Those that have not failed; may include some that are active no more. */
  #runners: readonly ProjectionRunner[];

  constructor(runners: readonly ProjectionRunner[], context: SubscriptionContext, failures: number) {
    this.#context = context;
    this.#failures = failures;
    this.#all = runners;
    this.#before = positionsOf(runners);
    this.#runners = runners;
    this.#signal = AbortSignal.any([context.signal, this.#interrupt.signal]);
    for (const runner of runners) runner.interrupt = () => this.#interrupt.abort();
  }

  async run(): Promise<void> {
    const { retryAfterMs, signal } = this.#context;
    try {
      const pause = backoffMs(this.#failures - 1, retryAfterMs.min, retryAfterMs.max);
      if (this.#failures > 0) await delay(pause, undefined, { signal });
      await this.#follow();
      if (this.#interrupt.signal.aborted && !signal.aborted) subscribeTogether(this.#left(), this.#context);
    } catch (error) {
      if (signal.aborted) return;
      for (const runner of this.#left()) runner.failed(error);
      subscribeTogether(this.#left(), this.#context, this.#failures + 1);
    }
  }

  #left(): readonly ProjectionRunner[] {
    return (this.#runners = this.#runners.filter(({ isActive }) => isActive));
  }

  /** Acts for a runner that is left; lets it go where that fails. */
  async #actFor(runner: ProjectionRunner, act: () => Promise<void>): Promise<void> {
    if (!this.#left().includes(runner)) return;
    try {
      await act();
    } catch (error) {
      this.#runners = this.#runners.filter((each) => each !== runner);
      runner.failed(error);
      const isOn = positionsOf(this.#all) !== this.#before;
      subscribeTogether([runner], this.#context, isOn ? 1 : this.#failures + 1);
    }
  }

  /** Acts for all that are left; tells whether any still are. */
  async #each(act: (runner: ProjectionRunner) => Promise<void>): Promise<boolean> {
    await Promise.all(this.#left().map((runner) => this.#actFor(runner, () => act(runner))));
    return this.#left().length > 0;
  }

  async #follow(): Promise<void> {
    const { eventStore, batchSize, threads } = this.#context;
    await this.#each((runner) => runner.rejoin());
    const requested = this.#runners.flatMap(({ target }) => target.threads ?? []);
    const passes = passesOf(this.#runners, requested.length > 0 ? Math.max(...requested) : threads);
    await Promise.all(passes.map((pass) => this.#buildOrFail(pass)));
    if (this.#signal.aborted || this.#left().length === 0) return;
    // No batch tells runners that they came to the end when they are there already.
    const head = await eventStore.head();
    await this.#each(async (runner) => {
      const { position, isBuilt } = runner.applier.checkpoint;
      if (position >= head && !isBuilt) await runner.cameToEnd();
    });
    const after = this.#runners.map(({ applier }) => applier.checkpoint.position).sort()[0] ?? START_POSITION;
    const throttle = createLeakyBucket(() => throttleOf(this.#left()), this.#signal);
    const options = { batchSize, signal: this.#signal, types: typesOf(this.#runners) };
    let isBehind = true;
    for await (const { events: recorded, ...batch } of eventStore.subscribe(after, options)) {
      const events = recorded.map(toLazilyDecodedEvent);
      // Throttled before it is applied: the last batch may be the only one.
      if (isBehind) await throttle(events.length);
      if (!(await this.#each((runner) => runner.advance(events, batch)))) return;
      isBehind &&= !batch.isLast;
      // Lets other tasks run: an embedded log does not yield to the event loop.
      if (!batch.isLast) await setImmediate();
    }
    await this.#each((runner) => runner.publish());
  }

  async #buildOrFail(pass: readonly ProjectionRunner[]): Promise<void> {
    try {
      await this.#build(pass);
    } catch (error) {
      for (const runner of pass)
        await this.#actFor(runner, () => {
          throw error;
        });
    }
  }

  /** Builds projections from nothing up to the end of the event log, group by group: each document is stored once. */
  async #build(pass: readonly ProjectionRunner[]): Promise<void> {
    const { eventStore, readModels, applyGroups, batchSize, storeEveryMs } = this.#context;
    const [one] = pass;
    const begunUpTo = one?.checkpoint.building && one.checkpoint.last;
    const upTo = begunUpTo ?? (await readLastEventPointer(eventStore));
    const types = typesOf(pass);
    if (!upTo || types.length === 0) return;
    const left = () => this.#left().filter((runner) => pass.includes(runner));
    const throttle = createLeakyBucket(() => throttleOf(left()), this.#signal);
    const starts = pass.map(({ projection, checkpoint: { parked, building } }) => ({
      projection,
      parked,
      isBegun: building !== null,
    }));
    const after = one?.checkpoint.building?.group ?? undefined;
    const read = { by: EVENT_PARTITION_KEY, types, upTo: upTo.position, batchSize, after };
    const size = { maxDocuments: readModels.maxInserted ?? Infinity, everyMs: storeEveryMs };
    const builds = new Map(pass.map((runner) => [runner.projection.name, { runner, parts: runner.beginBuild(upTo) }]));
    for await (const part of applyGroups({ starts, read, ...size }, this.#signal)) {
      const [first] = left();
      if (!first || this.#signal.aborted) return;
      const { runner, parts } = builds.get(part.projection) ?? {};
      if (runner && parts) await this.#actFor(runner, () => runner.build(parts, part));
      // A batch yields a part for each runner, and counts once.
      if (runner === first) await throttle(part.events);
      // Lets other tasks run: an embedded store does not yield to the event loop.
      await setImmediate();
    }
    if (this.#signal.aborted) return;
    for (const { runner, parts } of builds.values()) await this.#actFor(runner, () => runner.finishBuild(parts));
  }
}
