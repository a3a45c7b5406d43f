/**
 * Every read, subscription and append says so: after another node was elected a connection may lead to one that is behind, which
 * would let commands decide on stale state, miss keys that were used, and have read models built anew for a log that is whole.
 */
export const OF_LEADER = { requiresLeader: true } as const;
