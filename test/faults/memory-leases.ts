import { START } from '../../src/event-store/port.ts';
import { LeaseLost, type LeaseStatus, type ReadModelStore } from '../../src/read-models/port.ts';

/** By projection, who has its lease. */
export type Holders = Map<string, string>;

/** One process's way to read models that several share. */
export interface SharedStore {
  readonly store: ReadModelStore;
  /** As kill -9 does: nothing that it does from now on has an effect, and its leases run out. */
  readonly kill: () => void;
}

/** @param me a name that no other process has */
export const sharedStore = (inner: ReadModelStore, holders: Holders, me: string): SharedStore => {
  let isDead = false;
  const mine = new Set<string>();
  const refuse = (name: string): void => {
    if (isDead || !mine.has(name) || holders.get(name) !== me) throw new LeaseLost();
  };
  const release = (): Promise<void> => {
    mine.clear();
    for (const [name, holder] of holders) if (holder === me) holders.delete(name);
    return Promise.resolve();
  };
  const statusOf = async (name: string): Promise<LeaseStatus> => ({
    isHeld: mine.has(name),
    holder: holders.get(name) ?? null,
    since: null,
    position: (await inner.checkpointOf(name)) ?? START,
  });
  const look = (name: string): void => {
    if (holders.get(name) === me) return;
    // What was lost is taken at the next look at the earliest, so that it begins anew.
    if (mine.delete(name) || holders.has(name) || isDead) return;
    holders.set(name, me);
    mine.add(name);
  };
  const all = async (names: Iterable<string>): Promise<Map<string, LeaseStatus>> => {
    const statuses = new Map<string, LeaseStatus>();
    for (const name of names) statuses.set(name, await statusOf(name));
    return statuses;
  };
  const store: ReadModelStore = {
    ...inner,
    async prepare(projection) {
      refuse(projection.name);
      return inner.prepare(projection);
    },
    async reset(projection) {
      refuse(projection.name);
      return inner.reset(projection);
    },
    async commit(projection, writes, checkpoint) {
      refuse(projection.name);
      return inner.commit(projection, writes, checkpoint);
    },
    drop: (name) => (isDead ? Promise.reject(new LeaseLost()) : inner.drop(name)),
    leases: {
      keep(names) {
        for (const name of names) look(name);
        return all(names);
      },
      release,
      list: () => all(holders.keys()),
    },
  };
  return {
    store,
    kill() {
      void release();
      isDead = true;
    },
  };
};
