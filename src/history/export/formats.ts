import type { ShownAs } from '../moment/showing.ts';
import { writeCases, type CaseKind } from './cases.ts';
import { writeCsv } from './csv.ts';
import { writeNdjson } from './ndjson.ts';
import { writeOcel } from './ocel.ts';
import { objectColumns } from './ocel-attributes.ts';
import { writeParquet } from './parquet.ts';
import { eventTables } from './tables.ts';
import type { ExportPlace, ExportWriter } from './writer.ts';

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

/** Begins to write in a format, on from what is there. */
export const beginWriting = (
  { format, types, caseOf }: ExportForm,
  showing: ShownAs,
  place: ExportPlace,
): Promise<ExportWriter> => {
  switch (format) {
    case 'ndjson':
      return writeNdjson(place);
    case 'csv':
      return caseOf === undefined
        ? Promise.resolve(writeCsv(place, eventTables(showing.isMasked, types)))
        : writeCases(place, caseOf);
    case 'parquet':
      return Promise.resolve(writeParquet(place, eventTables(showing.isMasked, types)));
    case 'ocel':
      return Promise.resolve(
        writeOcel(place, eventTables(showing.isMasked, types), objectColumns(showing.isMasked)),
      );
  }
};

/** Whether a format is one file that is made as a whole: a later export makes it anew. */
export const isWhole = ({ format }: ExportForm): boolean => format === 'ocel';
