import { setTimeout as delay } from 'node:timers/promises';
import { START_POSITION, type EventLog, type Position } from '../event-store/port.ts';
import type { ProjectionRunner, ProjectionAssignment } from './runner.ts';
import type { LeaseStatus, Leases } from '../read-models/port.ts';

/**
 * How often an instance reads the progress of the others. A request with a Consistency-Token may have to wait this
 * long.
 */
const POLL_MS = 50;
/** Pause after the store has not answered. */
const RETRY_MS = 1_000;
/** How often each instance tries to read the event store. */
const PROBE_MS = 1_000;
/** When an instance gives leases back. */
export interface LeaseReleaseTimeouts {
  /** After the event store could not be read for this long. */
  readonly unreadableMs: number;
  /** After this long without a commit while there are events to apply: longer than a commit and the wait before it. */
  readonly stuckMs: number;
}
export const LEASE_RELEASE_TIMEOUTS: LeaseReleaseTimeouts = { unreadableMs: 10_000, stuckMs: 60_000 };
/** After it gave a lease back, an instance does not take it again for this long. */
const REST_MS = 10_000;

/** What `createLeaseKeeper` needs of the projector. */
interface LeaseKeeperOptions {
  readonly targets: () => readonly ProjectionAssignment[];
  /** Runners that have begun, by projection. */
  readonly runners: ReadonlyMap<string, ProjectionRunner>;
  /** Begins projections whose lease was taken. Rejects when one could not begin, after the rest has. */
  readonly begin: (some: readonly ProjectionAssignment[]) => Promise<void>;
  /** Ends a projection whose lease was lost or given back, or that is no target any more. */
  readonly end: (name: string, isStuck: boolean) => void;
  readonly eventStore: Pick<EventLog, 'head'>;
  readonly patience: LeaseReleaseTimeouts;
  /** Told when leases, or checkpoints that other instances keep, have changed. */
  readonly notify: () => void;
  readonly onError: (projection: string, error: unknown) => void;
  readonly signal: AbortSignal;
}

const nameOf = ({ projection }: ProjectionAssignment): string => projection.name;

/**
 * Begins the projections whose leases this process holds, and knows how far other processes are with the rest.
 *
 * @param leases undefined where no other process can project: all targets are this process's
 */
export const createLeaseKeeper = (leases: Leases | undefined, actions: LeaseKeeperOptions) => {
  const { targets, runners, begin, end, eventStore, patience, notify, onError, signal } = actions;
  const { unreadableMs, stuckMs } = patience;
  let statuses: ReadonlyMap<string, LeaseStatus> = new Map();
  /** Projections that are beginning, which may take longer than a lease lasts. */
  const beginning = new Map<string, Promise<void>>();
  /** Projections whose lease this instance holds, and which could not begin. */
  const failing = new Set<string>();
  /** Why a lease was given back, and until when it is not taken again. */
  const givenBack = new Map<string, { readonly reason: string; readonly until: number }>();
  const names = (): string[] => targets().map(nameOf);
  const isHeld = (name: string): boolean => statuses.get(name)?.isHeld === true;

  /** Ends projections whose lease is lost, and begins those whose lease is held. */
  const reconcile = (isOurs: (name: string) => boolean): Promise<void> => {
    const ours = new Set(names().filter(isOurs));
    for (const name of [...runners.keys()]) if (!ours.has(name)) end(name, false);
    const some = targets().filter((target) => {
      const name = nameOf(target);
      return ours.has(name) && !runners.has(name) && !beginning.has(name);
    });
    if (some.length === 0) return Promise.resolve();
    const begun = begin(some);
    // Without leases no loop tries again.
    const pause = () => (leases ? delay(RETRY_MS, undefined, { signal }) : Promise.resolve());
    const free = () => {
      for (const name of some.map(nameOf)) {
        beginning.delete(name);
        if (runners.has(name)) failing.delete(name);
        else failing.add(name);
      }
    };
    const over = begun
      .catch(pause)
      .catch(() => undefined)
      .then(free);
    for (const target of some) beginning.set(nameOf(target), over);
    return begun;
  };

  const mayTake = (name: string): boolean => (givenBack.get(name)?.until ?? 0) <= performance.now();

  const look = async (shared: Leases): Promise<void> => {
    const before = JSON.stringify([...statuses.values()]);
    statuses = await shared.keep(names().filter(mayTake), names());
    for (const name of failing) if (!isHeld(name)) failing.delete(name);
    void reconcile(isHeld).catch((error: unknown) => onError('all', error));
    if (before !== JSON.stringify([...statuses.values()])) notify();
  };

  /** Marks a lease that the next look gives back. */
  const giveBack = (name: string, reason: string, until: number): void => {
    const isNew = mayTake(name);
    givenBack.set(name, { reason, until });
    failing.delete(name);
    behind.delete(name);
    if (!isNew) return;
    end(name, true);
    onError(name, new Error(`The lease was given back: ${reason}`));
    notify();
  };

  /** Since when a projection is behind and stores nothing, and how far it had come by then. */
  const behind = new Map<string, { readonly progress: number; readonly since: number }>();

  /** A number that grows as a projection that is behind makes progress; undefined for one that need not. */
  const progressOf = (name: string, head: Position): number | undefined => {
    const runner = runners.get(name);
    if (!runner) return failing.has(name) ? -1 : undefined;
    // A poison event would stop any other instance as well.
    const isExcused = runner.target.throttle !== undefined || runner.stopped !== undefined;
    return isExcused || runner.checkpoint.position >= head ? undefined : runner.applier.progress + runner.parts;
  };

  let readableAt = performance.now();
  const probe = async (): Promise<void> => {
    let head: Position = START_POSITION;
    try {
      head = await eventStore.head();
      readableAt = performance.now();
    } catch {
      // Each projection reports its own failed reads; here only their duration counts.
    }
    const now = performance.now();
    if (readableAt < now - unreadableMs) {
      const reason = `the event store could not be read for ${unreadableMs / 1_000} s`;
      for (const name of names()) giveBack(name, reason, Infinity);
      return;
    }
    for (const [name, { until }] of givenBack) if (until === Infinity) givenBack.delete(name);
    for (const name of new Set([...names(), ...behind.keys()])) {
      const [before, progress] = [behind.get(name), progressOf(name, head)];
      if (progress === undefined) behind.delete(name);
      else if (before?.progress !== progress) behind.set(name, { progress, since: now });
      else if (now - before.since >= stuckMs)
        giveBack(name, `it made no progress for ${stuckMs / 1_000} s`, now + REST_MS);
    }
  };

  return {
    statusOf: (name: string): LeaseStatus | undefined => statuses.get(name),
    /** Why this instance gave a lease back that it does not take now. */
    gaveUp: (name: string): string | undefined => (mayTake(name) ? undefined : givenBack.get(name)?.reason),
    release: () => leases?.release(),
    /** Without leases begins and ends projections at once; otherwise `run` does. */
    now: (): Promise<void> => (leases ? Promise.resolve() : reconcile(() => true)),
    /** Looks at the leases again and again until the signal is aborted. */
    async run(): Promise<void> {
      while (leases && !signal.aborted) {
        let pause = POLL_MS;
        try {
          await look(leases);
        } catch (error) {
          onError('all', error);
          pause = RETRY_MS;
        }
        await delay(pause, undefined, { signal }).catch(() => undefined);
      }
      await Promise.allSettled(beginning.values());
    },
    /** Gives back the leases of projections that this instance cannot apply, until the signal is aborted. */
    async watch(): Promise<void> {
      while (leases && !signal.aborted) {
        await probe();
        await delay(Math.min(PROBE_MS, unreadableMs / 2), undefined, { signal }).catch(() => undefined);
      }
    },
  };
};
