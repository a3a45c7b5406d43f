import { fileRows, type Encode, type FileRows } from './encoded.ts';
import { growing, type ExportPlace, type ExportWriter } from './writer.ts';

export const EVENTS_FILE = 'events.ndjson';

/** Events as lines of JSON. */
export const encodeNdjson: Encode<readonly FileRows[]> = (events) => [
  fileRows(
    EVENTS_FILE,
    events.map((event) => `${JSON.stringify(event)}\n`),
  ),
];

/** Writes lines of JSON into one file that grows. */
export const writeNdjson = (place: ExportPlace): Promise<ExportWriter<readonly FileRows[]>> =>
  growing(place, EVENTS_FILE);
