/** What fails tries again every few seconds; one line of the application log a minute tells of the same failure. */
export const SAME_FAILURE_MS = 60_000;

export const THREAD_RESTARTED_MESSAGE = 'A thread has ended by itself; another one is started';
