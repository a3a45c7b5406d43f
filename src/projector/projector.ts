import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { allSettled } from '../lib/all-settled.ts';
import type { Release } from '../build-registry/build.ts';
import { START, type EventStore, type Position } from '../event-store/port.ts';
import { follow } from './follow.ts';
import { groupApplierHere, type ApplyGroups } from './apply-groups.ts';
import { keepLeases, PATIENCE, type Patience } from './leases.ts';
import { createRunners, type ProjectionRunner, type ProjectionTarget } from './runner.ts';
import { createProgress, type RunnerStatus, type Progress } from './progress.ts';
import type { Projection } from './projection.ts';
import { toParkedAt, type ReadModelStore } from '../read-models/port.ts';

export interface Projector extends Progress<RunnerStatus> {
  /** Whether every projection has reached what was the head when the projector started. */
  isCaughtUp(): boolean;
  /** Keeps these targets up to date, and no other projections. Without leases they have begun when it resolves. */
  keep(targets: readonly ProjectionTarget[]): Promise<void>;
  /** Applies the waiting events of a projection's parked stream, once for each release. */
  release(projection: string, release: Release): Promise<void>;
  /** Finishes the batch in hand. */
  stop(): Promise<void>;
}

export interface ProjectorOptions {
  readonly eventStore: Pick<EventStore, 'subscribe' | 'readStream' | 'readGroups' | 'recordAt' | 'head'>;
  readonly readModels: ReadModelStore;
  /** The first targets. */
  readonly projections: readonly Projection[];
  readonly onError: (projection: string, error: unknown) => void;
  /** The time now, RFC 3339; left out: a poison event parks no stream, but stops its projection. */
  readonly parkedAt?: () => string;
  /** Applies the events of builds; left out: this thread does. */
  readonly applyGroups?: ApplyGroups;
  /** Threads for builds that begin together, unless a target asks for another number; left out: all cores but one. */
  readonly threads?: number;
  readonly batchSize?: number;
  /** Most documents of all projections that wait while there is more to apply. */
  readonly maxWaiting?: number;
  /** Documents of a projection per transaction; one event may add a few more. */
  readonly maxDocuments?: number;
  /** How long documents may wait, so that slow progress is not lost with the process. */
  readonly storeEveryMs?: number;
  readonly patience?: Patience;
  readonly retryAfterMs?: { readonly min: number; readonly max: number };
}

/**
 * Keeps projections up to date; those that begin together share one subscription. Documents are stored when many have
 * changed, each once, and at the end of the event log at once. A projection that fails holds up no other, and retries
 * from its checkpoint until it succeeds. Where processes share the read models, each applies the projections whose
 * leases it holds.
 */
export const startProjector = async (options: ProjectorOptions): Promise<Projector> => {
  const {
    eventStore,
    readModels,
    batchSize = 250,
    maxWaiting: maxWaiting = 16_000,
    storeEveryMs = 10_000,
  } = options;
  const { maxDocuments = 4_000, applyGroups = groupApplierHere(options) } = options;
  const { threads = Math.max(1, availableParallelism() - 1) } = options;
  const { min: least, max: most } = options.retryAfterMs ?? { min: 100, max: 10_000 };
  const stopping = new AbortController();
  const { signal } = stopping;
  // Each projection may wait with a listener.
  setMaxListeners(0, signal);
  const target = await eventStore.head();
  let targets: readonly ProjectionTarget[] = options.projections.map((projection) => ({ projection }));
  const active = new Map<string, ProjectionRunner>();
  const targetNamed = (name: string) => targets.find(({ projection }) => projection.name === name);
  /** A projection that is let go in the middle of a batch has not failed. */
  const onError: ProjectorOptions['onError'] = (name, error) => {
    if (targetNamed(name)) options.onError(name, error);
  };

  const { progress, notify } = createProgress(() =>
    targets.map(({ projection: { name, version } }) => {
      const runner = active.get(name);
      const { seen = 0, of, errors = 0, lastError, stopped } = runner ?? {};
      const gaveUp = leases.gaveUp(name);
      const lease = leases.statusOf(name);
      const { position: at, parked } = runner?.checkpoint ?? lease ?? { position: START, parked: [] };
      return {
        name,
        version,
        position: at,
        seen,
        of,
        applied: runner?.applier.checkpoint().position ?? at,
        isHere: runner !== undefined,
        isBuilt: runner?.checkpoint.isBuilt ?? false,
        stopped,
        errors,
        lastError,
        parked: parked.map(toParkedAt),
        ...(gaveUp !== undefined && { gaveUp }),
        ...(lease && { lease }),
      };
    }),
  );
  const isActive = (runner: ProjectionRunner): boolean => active.get(runner.projection.name) === runner;
  const targetOf = (runner: ProjectionTarget): ProjectionTarget =>
    targetNamed(runner.projection.name) ?? runner;
  const isFull = (): boolean =>
    [...active.values()].reduce((sum, { applier }) => sum + applier.waiting(), 0) >= maxWaiting;
  const { parkedAt } = options;
  const runners = createRunners({
    eventStore,
    readModels,
    isFull,
    maxDocuments,
    storeEveryMs,
    isActive,
    targetOf,
    notify,
    onError,
    parkedAt,
  });
  const following = {
    eventStore,
    readModels,
    runners,
    isActive,
    targetOf,
    applyGroups,
    threads,
    batchSize,
    storeEveryMs,
  };

  const running = new Set<Promise<void>>();
  const track = (task: Promise<void>): void => {
    const tracked = task.finally(() => running.delete(tracked));
    running.add(tracked);
  };
  const positionsOf = (group: readonly ProjectionRunner[]): string =>
    group.map(({ checkpoint }): Position => checkpoint.position).join();
  /** Ends a runner's subscription, so that it begins again at what is stored. */
  const interrupts = new Map<ProjectionRunner, () => void>();
  const keepFollowing = (group: readonly ProjectionRunner[], attempt = 0): void => {
    const run = async () => {
      const left: ProjectionRunner[] = [];
      const before = positionsOf(group);
      const interrupt = new AbortController();
      for (const runner of group) interrupts.set(runner, () => interrupt.abort());
      const leave = (runner: ProjectionRunner) => {
        left.push(runner);
        keepFollowing([runner], before === positionsOf(group) ? attempt + 1 : 1);
      };
      const stranded = () => group.filter((runner) => isActive(runner) && !left.includes(runner));
      try {
        const pause = Math.min(most, least * 2 ** (attempt - 1)) * (0.5 + Math.random());
        if (attempt > 0) await delay(pause, undefined, { signal });
        const until = AbortSignal.any([signal, interrupt.signal]);
        await follow(group.filter(isActive), leave, { ...following, signal: until });
        if (interrupt.signal.aborted && !signal.aborted) keepFollowing(stranded());
      } catch (error) {
        if (signal.aborted) return;
        const some = stranded();
        for (const runner of some) runners.failed(runner, error);
        keepFollowing(some, attempt + 1);
      }
    };
    if (group.length > 0) track(run());
  };

  const leases = keepLeases(readModels.leases, {
    targets: () => targets,
    active,
    async begin(some) {
      const joining = some.map(runners.join);
      const outcomes = await Promise.allSettled(joining);
      for (const [index, outcome] of outcomes.entries())
        if (outcome.status === 'rejected') onError(some[index]?.projection.name ?? 'all', outcome.reason);
      const group = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
      for (const runner of group) active.set(runner.projection.name, runner);
      for (const isApart of [false, true]) {
        const together = group.filter((runner) => (runner.isApart ?? false) === isApart);
        if (together.length > 0) keepFollowing(together);
      }
      // Rejects only here: a projection that cannot begin does not hold up the rest.
      await allSettled(joining);
    },
    end(name, isStuck) {
      const runner = active.get(name);
      active.delete(name);
      if (isStuck && runner) interrupts.get(runner)?.();
    },
    eventStore,
    patience: options.patience ?? PATIENCE,
    notify,
    onError: options.onError,
    signal,
  });
  await leases.now();
  track(leases.run());
  track(leases.watch());

  return {
    ...progress,
    isCaughtUp: () => leases.isKnown() && progress.status().every(({ position }) => position >= target),
    async keep(next) {
      targets = next;
      await leases.now();
      notify();
    },
    async release(projection, release) {
      const runner = active.get(projection);
      if (!runner) return;
      try {
        await runners.release(runner, release);
      } catch (error) {
        interrupts.get(runner)?.();
        throw error;
      }
    },
    async stop() {
      stopping.abort();
      while (running.size > 0) await Promise.all(running);
      await leases.release();
    },
  };
};
