/**
 * For every read, subscription and append: after an election a connection may lead to a node that is behind. Commands
 * would decide on stale state and miss used keys, and read models would be rebuilt for an intact event log.
 */
export const LEADER_OPTIONS = { requiresLeader: true } as const;
