import type { FoundEvent } from '../find/event.ts';
import type { ShownAs } from '../moment/mask.ts';
import { encodeCases, writeCases, type CaseKind } from './cases.ts';
import { fileRows, type Encode, type FileRows } from './encoded.ts';
import { writeOcel } from './ocel.ts';
import { objectColumns } from './ocel-attributes.ts';
import { encodeForParquet, writeParquet } from './parquet.ts';
import { csvHeadings, csvLine } from '../warehouse/csv.ts';
import { encodeTables, writeTables } from './table-files.ts';
import { eventTables } from './tables.ts';
import { growing, type ExportPlace, type ExportWriter } from './writer.ts';

/** What may be asked for as `--format`. */
export const exportFormats = ['ndjson', 'csv', 'parquet', 'ocel'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface ExportForm {
  readonly format: ExportFormat;
  /** Of CSV: one file of cases, instead of a table for each type. */
  readonly caseOf?: CaseKind | undefined;
  /** Undefined: all. */
  readonly types: readonly string[] | undefined;
}

export interface FormatOf<Content> {
  readonly encode: Encode<Content>;
  /** Begins to write, on from what is there. */
  readonly begin: (place: ExportPlace) => ExportWriter<Content> | Promise<ExportWriter<Content>>;
}

/** A format of which each event adds rows to files, whatever came before it: several threads may encode its events. */
export type RowsFormat = FormatOf<readonly FileRows[]>;

const EVENTS_FILE = 'events.ndjson';

/** Events as lines of JSON, in one file that grows. */
const ndjson: RowsFormat = {
  encode: (events) => [
    fileRows(
      EVENTS_FILE,
      events.map((event) => `${JSON.stringify(event)}\n`),
    ),
  ],
  begin: (place) => growing(place, EVENTS_FILE),
};

/** A format of files of rows; undefined for another one. */
export const rowsFormat = (
  { format, types, caseOf }: ExportForm,
  { isMasked }: ShownAs,
): RowsFormat | undefined => {
  const tables = eventTables(isMasked, types);
  switch (format) {
    case 'ndjson':
      return ndjson;
    case 'csv':
      if (caseOf !== undefined) return { encode: encodeCases(caseOf), begin: writeCases };
      return {
        encode: encodeTables(tables, csvLine),
        begin: (place) => writeTables(place, tables, csvHeadings),
      };
    case 'parquet':
      return { encode: encodeForParquet(tables), begin: (place) => writeParquet(place, tables) };
    case 'ocel':
      return undefined;
  }
};

/** The format in which objects follow from all events before. */
export const objectsFormat = (
  { types }: ExportForm,
  { isMasked }: ShownAs,
): FormatOf<readonly FoundEvent[]> => ({
  encode: (events) => events,
  begin: (place) => writeOcel(place, eventTables(isMasked, types), objectColumns(isMasked)),
});

/** Whether a format is one file that is made as a whole: a later export makes it anew. */
export const isWhole = ({ format }: ExportForm): boolean => format === 'ocel';
