import { join } from 'node:path';
import { openTextFile } from './files.ts';
import { growing, type ExportPlace, type ExportWriter } from './writer.ts';

export const EVENTS_FILE = 'events.ndjson';

/** Writes events as lines of JSON into one file that grows. */
export const writeNdjson = async (place: ExportPlace): Promise<ExportWriter> => {
  const { operations, directory, files } = place;
  const file = await openTextFile(operations, join(directory, EVENTS_FILE), files.get(EVENTS_FILE));
  return growing(place, file, (events) => {
    for (const event of events) file.append(`${JSON.stringify(event)}\n`, 1);
  });
};
