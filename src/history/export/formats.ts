import type { EntityKind } from '../../domain/entity.ts';

/** What the cases of process mining may be. */
export const caseKinds = ['posting', 'candidate', 'professional'] as const satisfies readonly EntityKind[];
export type CaseKind = (typeof caseKinds)[number];

/** What may be asked for as `--format`. */
export const exportFormats = ['ndjson', 'csv', 'parquet', 'ocel'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface ExportFormatOptions {
  readonly format: ExportFormat;
  /** Of CSV: one file of cases, instead of a table for each type. */
  readonly caseOf?: CaseKind | undefined;
  /** Undefined: all. */
  readonly types: readonly string[] | undefined;
  /** Of CSV and Parquet, in this order; undefined: all. */
  readonly columns?: readonly string[] | undefined;
  /** Whether CSV begins with a byte order mark. */
  readonly bom?: boolean | undefined;
}

/** Whether a form is one file that is made as a whole: a later export makes it anew. */
export const isRemadeAsWhole = ({ format, caseOf }: ExportFormatOptions): boolean =>
  format === 'ocel' || caseOf !== undefined;
