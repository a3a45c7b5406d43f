import { csvHeadings, csvLine } from '../tables/csv.ts';
import { syncPath } from './files.ts';
import { writeTables } from './table-files.ts';
import type { EventTable } from './tables.ts';
import type { ExportPlace, ExportWriter } from './writer.ts';

/** Writes events as CSV: for each part, one file for each type of its events. */
export const writeCsv = (place: ExportPlace, tables: readonly EventTable[]): ExportWriter =>
  writeTables(place, tables, { isKept: true, headings: csvHeadings, line: csvLine }, (files) => {
    syncPath(place.operations, place.directory);
    return Promise.resolve(files.map(({ file }) => file));
  });
