import { inTime } from '../in-time.ts';

export const NO_ANSWER = 'MongoDB does not answer';

/** Longer than any batch of documents takes. */
const MOST_MS = 15_000;

/**
 * The answer of the driver, or a failure when there is none in time. Each of its operations needs that: one that is written
 * to a connection just as its server ends would be waited for without an end, since the driver waits for the socket to
 * drain, which is closed by then; and it has no time limit of its own any more.
 *
 * @throws Error with NO_ANSWER; the operation may be carried out all the same, even later
 */
export const answered = <T>(ask: () => Promise<T>, milliseconds = MOST_MS): Promise<T> =>
  inTime(ask(), milliseconds, NO_ANSWER);
