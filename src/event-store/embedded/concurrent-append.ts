import { closing, openSideWriter } from '../../sqlite/connections.ts';
import { LogUnavailable, type Append, type AppendResult } from '../port.ts';
import { createAppends } from './appends.ts';
import { toLogError } from './failures.ts';

/**
 * Appends to an event log that another thread or process may be writing to, by a connection that is opened for this
 * append: operators' acts are few.
 *
 * @param file path of `events.db`, which the writer has made
 * @throws LogUnavailable
 */
export const appendConcurrently = (file: string, append: Append): AppendResult => {
  try {
    return closing(openSideWriter(file), (connection) => {
      const [result] = createAppends(connection)([append]);
      if (!result || result instanceof Error) throw result ?? new Error('There is no result');
      return result;
    });
  } catch (error) {
    const failure = toLogError(error, 'the event log cannot be written', file);
    throw failure instanceof LogUnavailable
      ? failure
      : new LogUnavailable('the event log cannot be written', { cause: error });
  }
};
