/** What a request has added to the event log and to the records of idempotency keys. */
export interface StoredCounts {
  readonly events: number;
  readonly idempotencyRecords: number;
}

/** How much a caller may store. */
export interface Quota {
  /**
   * Called before anything is done.
   *
   * @param isKeyed whether the request has an Idempotency-Key
   * @throws DomainError too-many when the caller has stored as much as it may
   */
  readonly check: (isKeyed: boolean) => void;
  readonly count: (added: StoredCounts) => void;
}
