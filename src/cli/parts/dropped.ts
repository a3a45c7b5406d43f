import { oneLine } from './cli-error.ts';

const say = (line: string): void => {
  process.stderr.write(line);
};

/**
 * Says that a subscription was dropped and the server is waited for.
 *
 * @param tell given a line and its break; left out: standard error
 */
export const sayDropped = (error: unknown, tell = say): void =>
  tell(
    `\nEventStoreDB has stopped answering, and is waited for: ${oneLine(error instanceof Error ? error.message : String(error))}\n`,
  );
