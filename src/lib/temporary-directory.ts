import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Uses a new directory that is this user's alone, and removes it afterwards, also where the process exits early. A
 * signal without a listener kills the process before that.
 *
 * @param prefix begins its name
 */
export const withTemporaryDirectory = async <T>(prefix: string, use: (directory: string) => Promise<T>): Promise<T> => {
  const directory = mkdtempSync(join(tmpdir(), prefix));
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    return await use(directory);
  } finally {
    process.off('exit', remove);
    remove();
  }
};
