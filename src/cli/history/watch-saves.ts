import { on } from 'node:events';
import { readFileSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** What a file holds; empty while it is not there, as between two steps of an editor. */
const contentOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

/**
 * Watches a file until the signal is aborted: yields at once, and then each time that it was saved with another
 * content, in whatever way an editor saves. What is saved while the caller is at work is yielded after it.
 */
export async function* watchSaves(file: string, signal: AbortSignal): AsyncGenerator<void, void, undefined> {
  // Of the directory: an editor may put a new file in the place of the old one.
  const watcher = watch(dirname(file));
  try {
    const changes: AsyncIterable<unknown[]> = on(watcher, 'change', { signal });
    let before = contentOf(file);
    yield;
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
