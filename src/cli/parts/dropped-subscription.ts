import { oneLineReason } from './cli-error.ts';
import type { Terminal } from './terminal.ts';
import { print } from './print.ts';

/** Says that a subscription was dropped and the server is waited for. */
export const createDroppedSubscriptionReporter =
  ({ stderr }: Pick<Terminal, 'stderr'>) =>
  (error: unknown): void => {
    const reason = oneLineReason(error);
    print(stderr, ['', `EventStoreDB has stopped answering, and is waited for: ${reason}`]);
  };
