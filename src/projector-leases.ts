import { setTimeout as delay } from 'node:timers/promises';
import type { Wanted } from './projector-member.ts';
import type { LeaseStatus, Leases } from './read-models/port.ts';

/** How often we look where the others are: a Consistency-Token waits for it. */
const LOOK_MS = 50;
/** After the store has not answered. */
const RETRY_MS = 1_000;

/** What is done about leases. */
export interface LeaseActions {
  readonly wanted: () => readonly Wanted[];
  /** By name, those that have begun. */
  readonly active: ReadonlyMap<string, unknown>;
  /** Projections whose lease was taken. Rejects when one of them could not begin; the others have then. */
  readonly begin: (some: readonly Wanted[]) => Promise<void>;
  /** A projection whose lease was lost, or that is not wanted any more. */
  readonly end: (name: string) => void;
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
  const { wanted, active, begin, end, changed, onError, signal } = actions;
  let statuses: ReadonlyMap<string, LeaseStatus> = new Map();
  /** Those that are being made ready, which may take longer than a lease lasts. */
  const beginning = new Map<string, Promise<void>>();

  /** Ends those that are not ours, and begins those that are. */
  const reconcile = (isOurs: (name: string) => boolean): Promise<void> => {
    const names = new Set(wanted().map(nameOf));
    for (const name of [...active.keys()]) if (!names.has(name) || !isOurs(name)) end(name);
    const some = wanted().filter((each) => {
      const name = nameOf(each);
      return isOurs(name) && !active.has(name) && !beginning.has(name);
    });
    if (some.length === 0) return Promise.resolve();
    const begun = begin(some);
    // Nobody else looks again and again.
    const pause = () => (leases ? delay(RETRY_MS, undefined, { signal }) : Promise.resolve());
    const free = () => {
      for (const each of some) beginning.delete(nameOf(each));
    };
    const over = begun
      .catch(pause)
      .catch(() => undefined)
      .then(free);
    for (const each of some) beginning.set(nameOf(each), over);
    return begun;
  };

  const look = async (shared: Leases): Promise<void> => {
    const before = JSON.stringify([...statuses.values()]);
    statuses = await shared.keep(wanted().map(nameOf));
    void reconcile((name) => statuses.get(name)?.isHeld === true).catch((error: unknown) =>
      onError('all', error),
    );
    if (before !== JSON.stringify([...statuses.values()])) changed();
  };

  return {
    statusOf: (name: string): LeaseStatus | undefined => statuses.get(name),
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
  };
};
