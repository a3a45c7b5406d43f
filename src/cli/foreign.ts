import { ForeignEvent } from '../event-store/eventstoredb-events.ts';

/**
 * Told of dropped subscriptions: a server that goes away is waited for, but what nobody here wrote does not go away.
 *
 * @param reasonOf what is aborted with
 */
export const abortAtForeign =
  (over: AbortController, reasonOf: (error: ForeignEvent) => Error): ((error: unknown) => void) =>
  (error) => {
    if (error instanceof ForeignEvent) over.abort(reasonOf(error));
  };
