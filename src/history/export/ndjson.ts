import { join } from 'node:path';
import { openTextFile, syncPath } from './files.ts';
import type { ExportPlace, ExportWriter } from './writer.ts';

export const EVENTS_FILE = 'events.ndjson';

/** Writes events as lines of JSON into one file that grows. */
export const writeNdjson = async ({ operations, directory, files }: ExportPlace): Promise<ExportWriter> => {
  const file = await openTextFile(operations, join(directory, EVENTS_FILE), files.get(EVENTS_FILE));
  return {
    append(events) {
      for (const event of events) file.append(`${JSON.stringify(event)}\n`, 1);
      return Promise.resolve();
    },
    endPart() {
      const written = file.flush();
      file.sync();
      syncPath(operations, directory);
      return Promise.resolve([written]);
    },
    close: () => file.close(),
  };
};
