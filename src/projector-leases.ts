import { setTimeout as delay } from 'node:timers/promises';
import type { Projection } from './projection.ts';
import type { LeaseStatus, Leases } from './read-models/port.ts';

/** How often we look where the others are: a Consistency-Token waits for it. */
const LOOK_MS = 50;
/** After the store has not answered. */
const RETRY_MS = 1_000;

/** What is done about leases. */
export interface LeaseActions {
  /** Projections whose lease was taken. */
  readonly begin: (some: readonly Projection[]) => Promise<void>;
  /** A projection whose lease was lost. */
  readonly end: (name: string) => void;
  readonly isActive: (name: string) => boolean;
  /** Something about the leases has changed, or a projection that others keep. */
  readonly changed: () => void;
  readonly signal: AbortSignal;
}

/** Keeps the leases of a projector, and knows where the projections are that other processes keep. */
export const keepLeases = (
  leases: Leases,
  projections: readonly Projection[],
  onError: (projection: string, error: unknown) => void,
) => {
  const names = projections.map(({ name }) => name);
  let statuses: ReadonlyMap<string, LeaseStatus> = new Map();
  /** Those that are being made ready, which may take longer than a lease lasts. */
  const beginning = new Map<string, Promise<void>>();

  const beginAll = async (some: readonly Projection[], { begin, signal }: LeaseActions): Promise<void> => {
    try {
      await begin(some);
    } catch (error) {
      onError('all', error);
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
    for (const { name } of some) beginning.delete(name);
  };

  const look = async (actions: LeaseActions): Promise<void> => {
    const { end, isActive, changed } = actions;
    const before = JSON.stringify([...statuses.values()]);
    statuses = await leases.keep(names);
    const isHeld = (name: string) => statuses.get(name)?.isHeld === true;
    for (const name of names) if (isActive(name) && !isHeld(name)) end(name);
    const taken = projections.filter(({ name }) => isHeld(name) && !isActive(name) && !beginning.has(name));
    const begun = taken.length > 0 ? beginAll(taken, actions) : Promise.resolve();
    for (const { name } of taken) beginning.set(name, begun);
    if (before !== JSON.stringify([...statuses.values()])) changed();
  };

  return {
    statusOf: (name: string): LeaseStatus | undefined => statuses.get(name),
    /** Whether the store has told anything yet. */
    isKnown: () => statuses.size > 0,
    release: () => leases.release(),
    /** Until the signal is aborted. */
    async run(actions: LeaseActions): Promise<void> {
      const { signal } = actions;
      while (!signal.aborted) {
        let pause = LOOK_MS;
        try {
          await look(actions);
        } catch (error) {
          onError('all', error);
          pause = RETRY_MS;
        }
        await delay(pause, undefined, { signal }).catch(() => undefined);
      }
      await Promise.all(beginning.values());
    },
  };
};
