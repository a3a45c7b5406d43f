import { START_POSITION } from '../../src/event-store/port.ts';
import {
  LeaseLostError,
  toParkedStreamRef,
  type LeaseStatus,
  type ReadModelStore,
} from '../../src/read-models/port.ts';

/** What several processes share beside documents and checkpoints. */
export interface Shared {
  /** By projection, who holds its lease. */
  readonly holders: Map<string, string>;
  /** By projection, the writer that prepared it last. */
  readonly writers: Map<string, symbol>;
}
export const newShared = (): Shared => ({ holders: new Map(), writers: new Map() });

/** One process's access to read models that several processes share. */
export interface SharedStore {
  readonly store: ReadModelStore;
  /** As kill -9 does: the process starts nothing more, messages on their way may arrive, and its leases run out. */
  readonly kill: () => void;
  readonly isDead: () => boolean;
}

export interface SharedStoreOptions {
  readonly me: string;
  readonly onTheWay: () => Promise<void>;
}

/** A lease holder may prepare to write; a write that arrives after another writer has prepared is refused. */
export const sharedStore = (
  inner: ReadModelStore,
  { holders, writers }: Shared,
  { me, onTheWay }: SharedStoreOptions,
): SharedStore => {
  let isDead = false;
  const mine = new Set<string>();
  const own = new Map<string, symbol>();
  const refuseDead = (): void => {
    if (isDead) throw new LeaseLostError();
  };
  const giveBack = (name: string): void => {
    mine.delete(name);
    if (holders.get(name) === me) holders.delete(name);
  };
  const release = (): Promise<void> => {
    for (const name of [...mine]) giveBack(name);
    return Promise.resolve();
  };
  const statusOf = async (name: string): Promise<LeaseStatus> => {
    const { position = START_POSITION, parked = [] } = (await inner.checkpointOf(name)) ?? {};
    return {
      isHeld: mine.has(name),
      holder: holders.get(name) ?? null,
      since: null,
      position,
      parked: parked.map(toParkedStreamRef),
    };
  };
  const look = (name: string): void => {
    if (holders.get(name) === me) return;
    // A lost lease is taken again at the next look at the earliest, so that the projector starts over.
    if (mine.delete(name) || holders.has(name) || isDead) return;
    holders.set(name, me);
    mine.add(name);
  };
  const all = async (names: Iterable<string>): Promise<Map<string, LeaseStatus>> => {
    const statuses = new Map<string, LeaseStatus>();
    for (const name of names) statuses.set(name, await statusOf(name));
    return statuses;
  };
  /** Checks at the arrival of a write that its writer is still the last that prepared. */
  const arrived = async <T>(name: string, act: () => Promise<T>): Promise<T> => {
    refuseDead();
    const writer = own.get(name);
    await onTheWay();
    if (writer === undefined || writers.get(name) !== writer) throw new LeaseLostError();
    return act();
  };
  const store: ReadModelStore = {
    ...inner,
    async prepare(projection) {
      const { name } = projection;
      refuseDead();
      if (!mine.has(name) || holders.get(name) !== me) throw new LeaseLostError();
      const writer = Symbol(me);
      writers.set(name, writer);
      own.set(name, writer);
      return inner.prepare(projection);
    },
    reset: (projection) => arrived(projection.name, () => inner.reset(projection)),
    commit: (projection, writes, checkpoint) =>
      arrived(projection.name, () => inner.commit(projection, writes, checkpoint)),
    async drop(name) {
      refuseDead();
      writers.delete(name);
      return inner.drop(name);
    },
    leases: {
      keep(names, others = []) {
        for (const name of [...mine]) if (!names.includes(name)) giveBack(name);
        for (const name of names) look(name);
        return all(new Set([...names, ...others]));
      },
      release,
    },
  };
  return {
    store,
    kill() {
      void release();
      isDead = true;
    },
    isDead: () => isDead,
  };
};
