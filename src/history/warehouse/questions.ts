import type { JsonObject } from '../../schema/json.ts';
import type { MomentPairRequest } from '../moment/moment.ts';

/** A statement, and the time zone of its days and times. */
export interface StatementQuestion {
  readonly statement: string;
  /** As it was written; undefined: the end of the event log. */
  readonly upTo: string | undefined;
  readonly timeZone: string | undefined;
}

/** A report, and which postings it is about. */
export interface ReportQuestion extends MomentPairRequest {
  readonly profession?: string | undefined;
  readonly state?: string | undefined;
  readonly timeZone?: string | undefined;
}

/** What can be asked of the warehouse; plain data. */
export type WarehouseQuestion =
  | ({ readonly kind: 'statement'; readonly form: 'lines' | 'csv' | 'parquet' } & StatementQuestion)
  | ({ readonly kind: 'report' } & ReportQuestion)
  /** One of the catalogue. */
  | ({ readonly kind: 'measure'; readonly about: JsonObject } & StatementQuestion);
