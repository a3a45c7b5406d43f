import type { SerializedError } from '../../lib/serialized-error.ts';
import type { StoreSettings } from '../../stores.ts';
import type { Moment } from '../moment/moment.ts';

export interface HistoryWorkerSettings {
  readonly stores: StoreSettings;
  readonly maskSecret: string;
}

/** A question, valid by the schemas of the operation that it names. */
export interface HistoryRequest {
  readonly operation: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly isUnmasked: boolean;
}

export interface HistoryProtocol {
  readonly input: HistoryWorkerSettings & { readonly question: HistoryRequest };
  /** The answer has begun: one that is no JSON object has the moment that it was made at. Its pieces follow. */
  readonly item: { readonly upTo: Moment | undefined } | string;
  /** A subscription of the event log was dropped; it resumes by itself. */
  readonly status: { readonly error: SerializedError };
}
