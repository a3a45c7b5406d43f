import { closeAfter, openReader } from './connections.ts';
import { prepareTextsSelect } from './texts.ts';
import { errorMessageOf } from '../lib/error.ts';

const MAX_FAULTS = 100;

/**
 * What SQLite's own check finds wrong with a file, one line for each fault; none for a sound file. It reads all of the
 * file, which other processes may be using (SQLite, PRAGMA integrity_check).
 */
export const findIntegrityFaults = (file: string): readonly string[] => {
  try {
    return closeAfter(openReader(file), (connection) => {
      const faults = `FROM pragma_integrity_check(${MAX_FAULTS})`;
      return prepareTextsSelect(connection, ['integrity_check'], faults)().filter((line) => line !== 'ok');
    });
  } catch (error) {
    return [errorMessageOf(error)];
  }
};
