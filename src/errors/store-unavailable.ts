/**
 * A store cannot be read or written now, as on a full disk; a retry may succeed. The message is fit for any client;
 * `cause` has the reason.
 */
export class StoreUnavailableError extends Error {}
