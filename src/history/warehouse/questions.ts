import type { JsonObject } from '../../schema/json.ts';
import type { MomentsRequest } from '../moment/moment.ts';

/** A statement, and the place whose days and times it tells of. */
export interface StatementQuestion {
  readonly statement: string;
  /** As it was written; undefined: the end of the event log. */
  readonly upTo: string | undefined;
  readonly timeZone: string | undefined;
}

/** What can be asked of the warehouse, by kind; plain data, each with an entry in `questionHandlers`. */
export interface WarehouseQuestions {
  readonly statement: StatementQuestion & { readonly form: 'lines' | 'csv' | 'parquet' };
  /** A page, as `ReportRequest` of the report has it, masked. */
  readonly report: MomentsRequest & {
    readonly profession?: string | undefined;
    readonly state?: string | undefined;
    readonly timeZone?: string | undefined;
  };
  /** One of the catalogue. */
  readonly measure: StatementQuestion & { readonly about: JsonObject };
}
export type WarehouseKind = keyof WarehouseQuestions;
export type WarehouseQuestion = {
  readonly [Kind in WarehouseKind]: { readonly kind: Kind } & WarehouseQuestions[Kind];
}[WarehouseKind];
