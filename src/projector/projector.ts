import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import type { StreamRelease } from './release.ts';
import { toLogIdentityReader } from '../event-store/identity.ts';
import { START_POSITION, type EventLog, type EventPointer } from '../event-store/port.ts';
import { whenAllSettled } from '../lib/when-all-settled.ts';
import { createKeyedMutex } from '../lib/keyed-mutex.ts';
import { toParkedStreamRef, type ReadModelStore } from '../read-models/port.ts';
import { createLocalGroupApplier, type ApplyGroups } from './apply-groups.ts';
import { createLeaseKeeper, LEASE_RELEASE_TIMEOUTS, type LeaseReleaseTimeouts } from './lease-keeper.ts';
import { createProjectionTracker, type ProjectionTracker, type RunnerStatus } from './progress.ts';
import type { Projection } from './projection.ts';
import { ProjectionRunner, type ProjectionAssignment } from './runner.ts';
import { subscribeTogether } from './subscription.ts';

export interface Projector extends ProjectionTracker<RunnerStatus> {
  /** Keeps these targets up to date, and no other projections. Without leases they have begun when it resolves. */
  keep(targets: readonly ProjectionAssignment[]): Promise<void>;
  /** Applies the waiting events of a projection's parked stream, once for each release. */
  release(build: string, release: StreamRelease): Promise<void>;
  /** Sets aside what is stored of a projection, which a reader has found damaged, and builds it anew. */
  setAside(build: string): Promise<void>;
  /** Begins a build anew, of which what was stored was set aside. */
  buildAnew(build: string): void;
  /** Finishes the batch in hand. */
  stop(): Promise<void>;
}

export interface ProjectorOptions {
  readonly eventStore: Pick<EventLog, 'subscribe' | 'readStream' | 'readAll' | 'readGroups' | 'recordAt' | 'head'>;
  readonly readModels: ReadModelStore;
  /** The first targets. */
  readonly projections: readonly Projection[];
  readonly onError: (build: string, error: unknown) => void;
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
  readonly patience?: LeaseReleaseTimeouts;
  readonly retryAfterMs?: { readonly min: number; readonly max: number };
  /** Pause before an event that could not be applied is tried again; twice as long before the last time. */
  readonly retryEventAfterMs?: number;
}

/** The same read models, whose checkpoints name the event log that they are of. */
const withLogIdentity = (
  readModels: ReadModelStore,
  eventStore: Pick<EventLog, 'readAll' | 'recordAt'>,
): ReadModelStore => {
  let first: EventPointer | undefined;
  return {
    ...readModels,
    async commit(projection, writes, checkpoint) {
      if (checkpoint.last && !checkpoint.first) first ??= await toLogIdentityReader(eventStore).first();
      await readModels.commit(projection, writes, first ? { first, ...checkpoint } : checkpoint);
    },
  };
};

/**
 * Keeps projections up to date; those that begin together share one subscription. Documents are stored when many have
 * changed, each once, and at the end of the event log at once. A projection that fails holds up no other, and retries
 * from its checkpoint until it succeeds. Where processes share the read models, each applies the projections whose
 * leases it holds.
 */
export const startProjector = async (options: ProjectorOptions): Promise<Projector> => {
  const { eventStore, parkedAt, maxWaiting = 16_000 } = options;
  const readModels = withLogIdentity(options.readModels, eventStore);
  const stopping = new AbortController();
  const { signal } = stopping;
  // Each projection may wait with a listener.
  setMaxListeners(0, signal);
  let targets: readonly ProjectionAssignment[] = options.projections.map((projection) => ({ projection }));
  const runners = new Map<string, ProjectionRunner>();
  const targetNamed = (name: string) => targets.find(({ projection }) => projection.name === name);
  /** A projection that is let go in the middle of a batch has not failed. */
  const onError: ProjectorOptions['onError'] = (name, error) => {
    if (targetNamed(name)) options.onError(name, error);
  };

  const statusOf = ({ projection: { name, version } }: ProjectionAssignment): RunnerStatus => {
    const runner = runners.get(name);
    const { seen = 0, of, errors = 0, lastError, stopped } = runner ?? {};
    const gaveUp = leases.gaveUp(name);
    const lease = leases.statusOf(name);
    const { position, parked } = runner?.checkpoint ?? lease ?? { position: START_POSITION, parked: [] };
    return {
      name,
      version,
      position,
      seen,
      of,
      applied: runner?.applier.checkpoint.position ?? position,
      isHere: runner !== undefined,
      isBuilt: runner?.checkpoint.isBuilt ?? false,
      stopped,
      errors,
      lastError,
      parked: parked.map(toParkedStreamRef),
      ...(gaveUp !== undefined && { gaveUp }),
      ...(lease && { lease }),
    };
  };
  const { progress, notify } = createProjectionTracker(() => targets.map(statusOf));

  const running = new Set<Promise<void>>();
  const track = (task: Promise<void>): void => {
    const tracked = task.finally(() => running.delete(tracked));
    running.add(tracked);
  };
  const context = {
    eventStore,
    readModels,
    applyGroups: options.applyGroups ?? createLocalGroupApplier(options),
    threads: options.threads ?? Math.max(1, availableParallelism() - 1),
    batchSize: options.batchSize ?? 250,
    maxDocuments: options.maxDocuments ?? 4_000,
    storeEveryMs: options.storeEveryMs ?? 10_000,
    retryAfterMs: options.retryAfterMs ?? { min: 100, max: 10_000 },
    retryEventAfterMs: options.retryEventAfterMs,
    isFull: () => [...runners.values()].reduce((sum, { applier }) => sum + applier.waiting, 0) >= maxWaiting,
    mutex: createKeyedMutex(),
    parkedAt,
    notify,
    onError,
    track,
    signal,
  };

  const leases = createLeaseKeeper(readModels.leases, {
    targets: () => targets,
    runners,
    async begin(some) {
      const opening = some.map((target) => ProjectionRunner.open(context, target));
      const outcomes = await Promise.allSettled(opening);
      const opened: ProjectionRunner[] = [];
      for (const [index, outcome] of outcomes.entries())
        if (outcome.status === 'fulfilled') opened.push(outcome.value);
        else onError(some[index]?.projection.name ?? 'all', outcome.reason);
      for (const runner of opened) {
        const { name } = runner.projection;
        runner.target = targetNamed(name) ?? runner.target;
        runners.set(name, runner);
      }
      for (const isApart of [false, true])
        subscribeTogether(
          opened.filter(({ target }) => (target.isApart ?? false) === isApart),
          context,
        );
      // Rejects only here: a projection that cannot begin does not hold up the rest.
      await whenAllSettled(opening);
    },
    end(name, isStuck) {
      const runner = runners.get(name);
      if (!runner) return;
      runners.delete(name);
      runner.isActive = false;
      if (isStuck) runner.interrupt();
    },
    eventStore,
    patience: options.patience ?? LEASE_RELEASE_TIMEOUTS,
    notify,
    onError: options.onError,
    signal,
  });
  const buildAnew = (build: string): void => {
    const runner = runners.get(build);
    runner?.failed(new Error('What is stored of it is damaged: it is built anew'));
    runner?.interrupt();
  };
  await leases.now();
  track(leases.run());
  track(leases.watch());

  return {
    ...progress,
    async keep(next) {
      targets = next;
      for (const target of targets) {
        const runner = runners.get(target.projection.name);
        if (runner) runner.target = target;
      }
      await leases.now();
      notify();
    },
    async release(projection, release) {
      const runner = runners.get(projection);
      try {
        await runner?.release(release);
      } catch (error) {
        runner?.interrupt();
        throw error;
      }
    },
    async setAside(projection) {
      // Told again and again, until its readers know that the file is gone.
      if (await readModels.setAside?.(projection)) buildAnew(projection);
    },
    buildAnew,
    async stop() {
      stopping.abort();
      while (running.size > 0) await Promise.all(running);
      await leases.release();
    },
  };
};
