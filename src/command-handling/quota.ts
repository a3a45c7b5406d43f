/** What a request has added to the event log and to the records of idempotency keys. */
export interface Added {
  readonly events: number;
  readonly idempotencyRecords: number;
}

/** How much a caller may store. */
export interface Quota {
  /** Before anything is done. @param isKeyed by an Idempotency-Key @throws DomainError too-many when it is used up */
  readonly check: (isKeyed: boolean) => void;
  readonly count: (added: Added) => void;
}
