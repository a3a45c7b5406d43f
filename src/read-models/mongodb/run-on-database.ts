import type { Db } from 'mongodb';

export const MONGODB_NO_ANSWER = 'MongoDB does not answer';

/** For reads that a request waits for: less than half of the 10 s in which it is answered. */
export const READ_TIMEOUT_MS = 4_500;

/**
 * Asks the database that the connection string names, with a time limit. Each operation of the driver needs one: where
 * a server ends just as an operation is written, the driver waits for ever for a closed socket to drain.
 *
 * @throws StoreUnavailableError with MONGODB_NO_ANSWER where the server cannot be reached or does not answer in time;
 *   the operation may be carried out all the same, even later
 */
export type RunOnDatabase = <T>(act: (db: Db) => Promise<T>, milliseconds?: number) => Promise<T>;
