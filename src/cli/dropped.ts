import { ForeignEvent } from '../event-store/eventstoredb-events.ts';
import { oneLine } from './fault.ts';

const say = (line: string): void => {
  process.stderr.write(line);
};

/**
 * To be told of dropped subscriptions: a server that goes away is waited for, which is said; what nobody here wrote does not
 * go away.
 *
 * @param reasonOf what is aborted with
 * @param tell given a line and its break; left out: it goes to standard error
 */
export const whenDropped =
  (over: AbortController, reasonOf: (error: ForeignEvent) => Error, tell = say): ((error: unknown) => void) =>
  (error) => {
    if (error instanceof ForeignEvent) over.abort(reasonOf(error));
    else
      tell(
        `\nEventStoreDB has stopped answering, and is waited for: ${oneLine(error instanceof Error ? error.message : String(error))}\n`,
      );
  };
