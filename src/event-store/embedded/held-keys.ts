import { randomUUID } from 'node:crypto';
import type { Append, AppendResult, EventStore, KeyedRequest, KeyState } from '../port.ts';

/** Which request holds a key, by key. */
export type Holders = Map<string, string>;

/** A store that knows receipts and no claims. */
export interface Unclaimed {
  append(append: Append): Promise<AppendResult>;
  findReceipt(request: KeyedRequest): Promise<KeyState>;
}

/**
 * Claims of keys on a store that one process has to itself: they are held in memory, since no request outlives the process.
 * An append under a key holds it as well, so that the key is not claimed while its receipt is being stored.
 */
export const withHeldKeys = (
  store: Unclaimed,
  holders: Holders = new Map(),
): Pick<EventStore, 'append' | 'findReceipt' | 'claimKey' | 'releaseKey'> => {
  const held = (by: string) => ({ kind: 'held', by, left: 'request' }) as const;
  /** The other holder of a key; undefined once it is held by this one. */
  const hold = (key: string, by: string, overdue?: string): string | undefined => {
    const holder = holders.get(key);
    if (holder !== undefined && holder !== by && holder !== overdue) return holder;
    holders.set(key, by);
    return undefined;
  };
  const release = (key: string, by: string): void => {
    if (holders.get(key) === by) holders.delete(key);
  };

  return {
    async append(append) {
      const { receipt } = append;
      if (!receipt) return store.append(append);
      const { key, claim } = receipt;
      const by = claim?.id ?? randomUUID();
      if (hold(key, by) !== undefined) return { kind: 'key-taken' };
      let isOver = !claim;
      try {
        const result = await store.append(append);
        // A claim is kept for the next try.
        isOver ||= result.kind !== 'wrong-revision';
        return result;
      } finally {
        if (isOver) release(key, by);
      }
    },
    async findReceipt(request, overdue) {
      const state = await store.findReceipt(request);
      const holder = holders.get(request.key);
      return state.kind !== 'free' || holder === undefined || holder === overdue ? state : held(holder);
    },
    async claimKey(request, overdue) {
      const claim = { key: request.key, id: randomUUID() };
      const holder = hold(claim.key, claim.id, overdue);
      if (holder !== undefined) return held(holder);
      const state = await store.findReceipt(request);
      if (state.kind === 'free') return { kind: 'claimed', claim };
      release(claim.key, claim.id);
      return state;
    },
    releaseKey({ key, id }) {
      release(key, id);
      return Promise.resolve();
    },
  };
};

/** How a key stands by the receipt that is stored under it and has not expired. */
export const stateBy = (
  receipt: Extract<KeyState, { kind: 'found' }>['receipt'] | undefined,
  { fingerprint }: KeyedRequest,
): KeyState => {
  if (!receipt) return { kind: 'free' };
  return receipt.fingerprint === fingerprint ? { kind: 'found', receipt } : { kind: 'other-request' };
};
