import type { Db } from 'mongodb';

export const NO_ANSWER = 'MongoDB does not answer';

/**
 * Asks the database that the connection string names, and fails when there is no answer in time. Each of the driver's
 * operations needs that: one that is written to a connection just as its server ends would be waited for without an end,
 * since the driver waits for the socket to drain, which is closed by then; and it has no time limit of its own any more.
 *
 * @throws Error with NO_ANSWER; the operation may be carried out all the same, even later
 */
export type Ask = <T>(act: (db: Db) => Promise<T>, milliseconds?: number) => Promise<T>;
