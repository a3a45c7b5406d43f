import { setTimeout as delay } from 'node:timers/promises';
import { START, type EventLog, type Position } from '../event-store/port.ts';
import type { ProjectionRunner, ProjectionTarget } from './runner.ts';
import type { LeaseStatus, Leases } from '../read-models/port.ts';

/** How often an instance looks how far other instances are: a request with a Consistency-Token waits for it. */
const LOOK_MS = 50;
/** Pause after the store has not answered. */
const RETRY_MS = 1_000;
/** How often a lease holder tries to read the event store. */
const PROBE_MS = 1_000;
/** When an instance gives leases back. */
export interface Patience {
  /** It could not read the event store for so long. */
  readonly unreadableMs: number;
  /** It had events to apply and stored nothing for so long: longer than a commit takes, and the wait before it. */
  readonly stuckMs: number;
}
export const PATIENCE: Patience = { unreadableMs: 10_000, stuckMs: 60_000 };
/** How long an instance leaves a lease that it gave back to other instances. */
const REST_MS = 10_000;

/** What `keepLeases` needs of the projector. */
export interface LeaseActions {
  readonly targets: () => readonly ProjectionTarget[];
  /** Runners that have begun, by projection. */
  readonly runners: ReadonlyMap<string, ProjectionRunner>;
  /** Begins projections whose lease was taken. Rejects when one could not begin, after the rest has. */
  readonly begin: (some: readonly ProjectionTarget[]) => Promise<void>;
  /** Ends a projection whose lease was lost or given back, or that is no target any more. */
  readonly end: (name: string, isStuck: boolean) => void;
  readonly eventStore: Pick<EventLog, 'head'>;
  readonly patience: Patience;
  /** Told when leases, or checkpoints that other instances keep, have changed. */
  readonly notify: () => void;
  readonly onError: (projection: string, error: unknown) => void;
  readonly signal: AbortSignal;
}

const nameOf = ({ projection }: ProjectionTarget): string => projection.name;

/**
 * Begins the projections whose leases this process holds, and knows how far other processes are with the rest.
 *
 * @param leases undefined where no other process can project: all targets are this process's
 */
export const keepLeases = (leases: Leases | undefined, actions: LeaseActions) => {
  const { targets, runners, begin, end, eventStore, patience, notify, onError, signal } = actions;
  const { unreadableMs, stuckMs } = patience;
  let statuses: ReadonlyMap<string, LeaseStatus> = new Map();
  /** Projections that are beginning, which may take longer than a lease lasts. */
  const beginning = new Map<string, Promise<void>>();
  /** Why a lease was given back, and until when it is not taken again. */
  const givenBack = new Map<string, { readonly reason: string; readonly until: number }>();

  /** Since when projections whose lease this instance holds could not begin. */
  const failingSince = new Map<string, number>();

  /** Ends projections whose lease is lost, and begins those whose lease is held. */
  const reconcile = (isOurs: (name: string) => boolean): Promise<void> => {
    const names = new Set(targets().map(nameOf));
    for (const name of [...runners.keys()]) if (!names.has(name) || !isOurs(name)) end(name, false);
    const some = targets().filter((each) => {
      const name = nameOf(each);
      return isOurs(name) && !runners.has(name) && !beginning.has(name);
    });
    if (some.length === 0) return Promise.resolve();
    const begun = begin(some);
    // Without leases no loop tries again.
    const pause = () => (leases ? delay(RETRY_MS, undefined, { signal }) : Promise.resolve());
    const free = () => {
      for (const name of some.map(nameOf)) {
        beginning.delete(name);
        if (runners.has(name)) failingSince.delete(name);
        else if (!failingSince.has(name)) failingSince.set(name, performance.now());
      }
    };
    const over = begun
      .catch(pause)
      .catch(() => undefined)
      .then(free);
    for (const each of some) beginning.set(nameOf(each), over);
    return begun;
  };

  const isTaken = (name: string): boolean => (givenBack.get(name)?.until ?? 0) <= performance.now();

  const look = async (shared: Leases): Promise<void> => {
    const before = JSON.stringify([...statuses.values()]);
    const names = targets().map(nameOf);
    const kept = await shared.keep(names.filter(isTaken), names);
    statuses = kept;
    void reconcile((name) => statuses.get(name)?.isHeld === true).catch((error: unknown) =>
      onError('all', error),
    );
    if (before !== JSON.stringify([...statuses.values()])) notify();
  };

  /** Marks a lease that the next look gives back. */
  const giveBack = (name: string, reason: string, until: number): void => {
    const isNew = isTaken(name);
    givenBack.set(name, { reason, until });
    failingSince.delete(name);
    behind.delete(name);
    if (!isNew) return;
    end(name, true);
    onError(name, new Error(`The lease was given back: ${reason}`));
    notify();
  };

  /** Since when a projection is behind and stores nothing, and what it had stored by then. */
  const behind = new Map<string, { readonly stored: number; readonly since: number }>();

  const isThrottled = (name: string): boolean =>
    targets().some((each) => nameOf(each) === name && each.throttle !== undefined);

  let readableAt = performance.now();
  const probe = async (): Promise<void> => {
    let head: Position = START;
    try {
      head = await eventStore.head();
      readableAt = performance.now();
    } catch {
      // Each projection reports its own failed reads; here only their duration counts.
    }
    const now = performance.now();
    if (readableAt < now - unreadableMs) {
      const reason = `the event store could not be read for ${unreadableMs / 1_000} s`;
      for (const name of targets().map(nameOf)) giveBack(name, reason, Infinity);
      return;
    }
    for (const [name, { until }] of givenBack) if (until === Infinity) givenBack.delete(name);
    const stuck = (name: string, since: number): void => {
      if (now - since >= stuckMs)
        giveBack(name, `it did not come on for ${stuckMs / 1_000} s`, now + REST_MS);
    };
    for (const [name, since] of failingSince)
      if (statuses.get(name)?.isHeld) stuck(name, since);
      else failingSince.delete(name);
    for (const name of behind.keys()) if (!runners.has(name)) behind.delete(name);
    for (const [name, { checkpoint, applier, parts, stopped }] of runners) {
      // A poison event would stop any other instance as well.
      if (isThrottled(name) || stopped || checkpoint.position >= head) {
        behind.delete(name);
        continue;
      }
      const [before, stored] = [behind.get(name), applier.stored + parts];
      if (before?.stored === stored) stuck(name, before.since);
      else behind.set(name, { stored, since: now });
    }
  };

  return {
    statusOf: (name: string): LeaseStatus | undefined => statuses.get(name),
    /** Why this instance gave a lease back that it does not take now. */
    gaveUp: (name: string): string | undefined => (isTaken(name) ? undefined : givenBack.get(name)?.reason),
    /** Whether the lease holders are known. */
    isKnown: () => !leases || statuses.size > 0,
    release: () => leases?.release(),
    /** Without leases begins and ends projections at once; otherwise `run` does. */
    now: (): Promise<void> => (leases ? Promise.resolve() : reconcile(() => true)),
    /** Looks at the leases again and again until the signal is aborted. */
    async run(): Promise<void> {
      while (leases && !signal.aborted) {
        let pause = LOOK_MS;
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
