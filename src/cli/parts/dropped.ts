import { reasonOf } from './cli-error.ts';
import type { Terminal } from './terminal.ts';

/** Says that a subscription was dropped and the server is waited for. */
export const sayDropped =
  ({ stderr }: Pick<Terminal, 'stderr'>) =>
  (error: unknown): void => {
    const reason = reasonOf(error);
    stderr.write(`\nEventStoreDB has stopped answering, and is waited for: ${reason}\n`);
  };
