import { randomUUID } from 'node:crypto';
import type { EventLog, IdempotencyRecord, IdempotencyStore, KeyedRequest, KeyState } from '../port.ts';

/** By key, the id of the request that holds it. */
export type RequestIdByKey = Map<string, string>;

export type StoreWithoutClaims = Pick<EventLog, 'append'> & Pick<IdempotencyStore, 'findIdempotencyRecord'>;

/**
 * Claims of keys on a store that one process has to itself: in memory, since no request outlives the process. An append
 * holds its key too, so that no request claims it while its record is being stored.
 */
export const withInMemoryKeyClaims = (
  store: StoreWithoutClaims,
  holders: RequestIdByKey = new Map(),
): Pick<EventLog, 'append'> & Pick<IdempotencyStore, 'findIdempotencyRecord' | 'claimKey' | 'releaseKey'> => {
  const held = (by: string) => ({ kind: 'held', by, left: 'request' }) as const;
  /** Holds a key for a request; returns the request that holds it already, if another does. */
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
      const { idempotencyRecord } = append;
      if (!idempotencyRecord) return store.append(append);
      const { key, claim } = idempotencyRecord;
      const by = claim?.id ?? randomUUID();
      if (hold(key, by) !== undefined) return { kind: 'key-taken' };
      let isOver = !claim;
      try {
        const result = await store.append(append);
        // The claim is kept, since the command decides and appends again.
        isOver ||= result.kind !== 'wrong-revision';
        return result;
      } finally {
        if (isOver) release(key, by);
      }
    },
    async findIdempotencyRecord(request, overdue) {
      const state = await store.findIdempotencyRecord(request);
      const holder = holders.get(request.key);
      return state.kind !== 'free' || holder === undefined || holder === overdue ? state : held(holder);
    },
    async claimKey(request, overdue) {
      const claim = { key: request.key, id: randomUUID() };
      const holder = hold(claim.key, claim.id, overdue);
      if (holder !== undefined) return held(holder);
      const state = await store.findIdempotencyRecord(request);
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

/** The state of a key, by the unexpired record under it. */
export const keyStateOf = (
  idempotencyRecord: IdempotencyRecord | undefined,
  { fingerprint }: KeyedRequest,
): KeyState => {
  if (!idempotencyRecord) return { kind: 'free' };
  return idempotencyRecord.fingerprint === fingerprint
    ? { kind: 'found', idempotencyRecord }
    : { kind: 'other-request' };
};
