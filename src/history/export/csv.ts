import { csvHeadings, csvLine } from '../tables/csv.ts';
import type { Encode, FileRows } from './encoded.ts';
import { syncToDisk } from '../../lib/new-file.ts';
import { encodeTables, writeTables } from './table-files.ts';
import type { EventTable } from './tables.ts';
import type { ExportPlace, ExportWriter } from './writer.ts';

/** Events as lines of CSV for people. */
export const encodeCsv = (tables: readonly EventTable[]): Encode<readonly FileRows[]> =>
  encodeTables(tables, csvLine);

/** Writes CSV: for each part, one file for each type of its events. */
export const writeCsv = (
  place: ExportPlace,
  tables: readonly EventTable[],
): ExportWriter<readonly FileRows[]> =>
  writeTables(place, tables, { areKept: true, headings: csvHeadings }, (files) => {
    syncToDisk(place.directory, place.operations);
    return Promise.resolve(files.map(({ file }) => file));
  });
