import { setTimeout as delay } from 'node:timers/promises';
import { START, type EventStore, type Position } from '../event-store/port.ts';
import type { Member, Wanted } from './member.ts';
import type { LeaseStatus, Leases } from '../read-models/port.ts';

/** How often we look where the others are: a Consistency-Token waits for it. */
const LOOK_MS = 50;
/** After the store has not answered. */
const RETRY_MS = 1_000;
/** How often a holder sees whether it can read the event store. */
const PROBE_MS = 1_000;
/** When an instance gives leases back. */
export interface Patience {
  /** It could not read the event store for so long. */
  readonly unreadableMs: number;
  /** It has something to apply and has stored nothing for so long: longer than a commit takes, and the wait until it is due. */
  readonly stuckMs: number;
}
export const PATIENCE: Patience = { unreadableMs: 10_000, stuckMs: 60_000 };
/** Meanwhile other instances can take the lease. */
const REST_MS = 10_000;

/** What is done about leases. */
export interface LeaseActions {
  readonly wanted: () => readonly Wanted[];
  /** By name, those that have begun. */
  readonly active: ReadonlyMap<string, Member>;
  /** Projections whose lease was taken. Rejects when one of them could not begin, and tells of each; the others have then. */
  readonly begin: (some: readonly Wanted[]) => Promise<void>;
  /** A projection whose lease was lost or given back, or that is not wanted any more. */
  readonly end: (name: string, isStuck: boolean) => void;
  readonly eventStore: Pick<EventStore, 'head'>;
  readonly patience: Patience;
  /** Something about the leases has changed, or a projection that others keep. */
  readonly changed: () => void;
  readonly onError: (projection: string, error: unknown) => void;
  readonly signal: AbortSignal;
}

const nameOf = ({ projection }: Wanted): string => projection.name;

/**
 * Has those projections begin whose leases this process has, and knows where those are that others keep.
 *
 * @param leases undefined where no other process can project: all that is wanted is ours
 */
export const keepLeases = (leases: Leases | undefined, actions: LeaseActions) => {
  const { wanted, active, begin, end, eventStore, patience, changed, onError, signal } = actions;
  const { unreadableMs, stuckMs } = patience;
  let statuses: ReadonlyMap<string, LeaseStatus> = new Map();
  /** Those that are being made ready, which may take longer than a lease lasts. */
  const beginning = new Map<string, Promise<void>>();
  /** Why a lease was given back, and until when it is not taken again. */
  const givenBack = new Map<string, { readonly reason: string; readonly until: number }>();

  /** Since when those could not begin whose lease is ours. */
  const failingSince = new Map<string, number>();

  /** Ends those that are not ours, and begins those that are. */
  const reconcile = (isOurs: (name: string) => boolean): Promise<void> => {
    const names = new Set(wanted().map(nameOf));
    for (const name of [...active.keys()]) if (!names.has(name) || !isOurs(name)) end(name, false);
    const some = wanted().filter((each) => {
      const name = nameOf(each);
      return isOurs(name) && !active.has(name) && !beginning.has(name);
    });
    if (some.length === 0) return Promise.resolve();
    const begun = begin(some);
    // No other instance looks again and again.
    const pause = () => (leases ? delay(RETRY_MS, undefined, { signal }) : Promise.resolve());
    const free = () => {
      for (const name of some.map(nameOf)) {
        beginning.delete(name);
        if (active.has(name)) failingSince.delete(name);
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
    const names = wanted().map(nameOf);
    const kept = await shared.keep(names.filter(isTaken), names);
    statuses = kept;
    void reconcile((name) => statuses.get(name)?.isHeld === true).catch((error: unknown) =>
      onError('all', error),
    );
    if (before !== JSON.stringify([...statuses.values()])) changed();
  };

  /** The next look gives it back. */
  const giveBack = (name: string, reason: string, until: number): void => {
    const isNew = isTaken(name);
    givenBack.set(name, { reason, until });
    failingSince.delete(name);
    behind.delete(name);
    if (!isNew) return;
    end(name, true);
    onError(name, new Error(`The lease was given back: ${reason}`));
    changed();
  };

  /** Since when a projection has been behind and has stored nothing, by what it had stored then. */
  const behind = new Map<string, { readonly stored: number; readonly since: number }>();

  /** As is wanted by now. */
  const isThrottled = (name: string): boolean =>
    wanted().some((each) => nameOf(each) === name && each.throttle !== undefined);

  let readableAt = performance.now();
  const probe = async (): Promise<void> => {
    let head: Position = START;
    try {
      head = await eventStore.head();
      readableAt = performance.now();
    } catch {
      // Every read of the projections tells of it; here it only counts for how long.
    }
    const now = performance.now();
    if (readableAt < now - unreadableMs) {
      const reason = `the event store could not be read for ${unreadableMs / 1_000} s`;
      for (const name of wanted().map(nameOf)) giveBack(name, reason, Infinity);
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
    for (const name of behind.keys()) if (!active.has(name)) behind.delete(name);
    for (const [name, { checkpoint, fold, parts, stopped }] of active) {
      // At an event that cannot be applied other instances stop as well.
      if (isThrottled(name) || stopped || checkpoint.position >= head) {
        behind.delete(name);
        continue;
      }
      const [before, stored] = [behind.get(name), fold.stored() + parts];
      if (before?.stored === stored) stuck(name, before.since);
      else behind.set(name, { stored, since: now });
    }
  };

  return {
    statusOf: (name: string): LeaseStatus | undefined => statuses.get(name),
    /** Why this instance gave a lease back that it does not take now. */
    gaveUp: (name: string): string | undefined => (isTaken(name) ? undefined : givenBack.get(name)?.reason),
    /** Whether it is known who has what. */
    isKnown: () => !leases || statuses.size > 0,
    release: () => leases?.release(),
    /** Does at once what can be done without asking who else projects. */
    now: (): Promise<void> => (leases ? Promise.resolve() : reconcile(() => true)),
    /** Looks again and again until the signal is aborted. */
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
    /** Sees again and again whether this instance can do what it has leases for. */
    async watch(): Promise<void> {
      while (leases && !signal.aborted) {
        await probe();
        await delay(Math.min(PROBE_MS, unreadableMs / 2), undefined, { signal }).catch(() => undefined);
      }
    },
  };
};
