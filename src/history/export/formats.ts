import type { Showing } from '../moment/showing.ts';
import { writeCases, type CaseKind } from './cases.ts';
import { writeCsv } from './csv.ts';
import { writeNdjson } from './ndjson.ts';
import { writeParquet } from './parquet.ts';
import { eventTables } from './tables.ts';
import type { ExportPlace, ExportWriter } from './writer.ts';

/** What may be asked for as `--format`. */
export const exportFormats = ['ndjson', 'csv', 'parquet'] as const;
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
  showing: Showing,
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
  }
};
