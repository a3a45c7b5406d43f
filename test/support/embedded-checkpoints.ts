import { openFileReaders } from '../../src/read-models/embedded/file-readers.ts';
import type { Checkpoint } from '../../src/read-models/port.ts';

/** The stored checkpoints by projection name; the service may be running on the files. */
export const readEmbeddedCheckpoints = (path: string): Map<string, Checkpoint> => {
  const readers = openFileReaders(path);
  try {
    return readers.checkpoints();
  } finally {
    readers.close();
  }
};
