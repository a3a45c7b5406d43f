import { on } from 'node:events';
import { readFileSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** What a file holds; empty while it is not there, as between an editor's two steps. */
const contentOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

/**
 * Watches a file from now on, until the signal is aborted.
 *
 * @returns what yields each time the file was saved with another content, by whatever way an editor saves
 */
export const savesOf = (file: string, signal: AbortSignal): AsyncIterable<void> => {
  // Of the directory: an editor may put a new file in the place of the old one.
  const watcher = watch(dirname(file));
  const changes: AsyncIterable<unknown[]> = on(watcher, 'change', { signal });
  let before = contentOf(file);
  async function* saves() {
    try {
      for await (const [, name] of changes) {
        if (typeof name === 'string' && name !== basename(file)) continue;
        const content = contentOf(file);
        if (content === '' || content === before) continue;
        before = content;
        yield;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      watcher.close();
    }
  }
  return saves();
};
