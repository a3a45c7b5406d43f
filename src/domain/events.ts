import { Type, type Static, type TObject, type TProperties } from 'typebox';
import { Timestamp, object } from '../schema/schema.ts';
import type { JsonObject } from '../schema/json.ts';

/**
 * What every event carries beside its data. `$correlationId` is the request that started it all, `$causationId` the
 * request or event that led to this one: the names EventStoreDB gives them. `recordedAt` lives here and not only in
 * the store, so that a copied history keeps its times.
 */
export const Metadata = object({
  $correlationId: Type.String(),
  $causationId: Type.String(),
  actor: Type.String({ description: 'A user id, or key:<name> when an API key acted alone.' }),
  requestId: Type.String(),
  recordedAt: Timestamp,
});
export type Metadata = Static<typeof Metadata>;

/** One kind of event: its stored name and schema version never change with a refactoring. */
export interface EventDefinition<Name extends string = string, Data extends TObject = TObject> {
  readonly type: Name;
  readonly version: number;
  readonly summary: string;
  readonly data: Data;
  /** `upcasters[v]` turns the data of version v into that of version v + 1. */
  readonly upcasters: Readonly<Record<number, (data: JsonObject) => JsonObject>>;
}

export const defineEvent = <const Name extends string, P extends TProperties>(
  type: Name,
  summary: string,
  properties: P,
  history: { version?: number; upcasters?: EventDefinition['upcasters'] } = {},
): EventDefinition<Name, TObject<P>> => ({
  type,
  summary,
  version: history.version ?? 1,
  upcasters: history.upcasters ?? {},
  data: object(properties),
});

/** The discriminated union of the events that some definitions describe, as they are decided: not yet recorded. */
export type NewEventOf<D> =
  D extends EventDefinition<infer Name, infer Data>
    ? { readonly type: Name; readonly data: Static<Data> }
    : never;

/** The same, as they are folded: with the metadata. */
export type EventOf<D> = NewEventOf<D> & { readonly metadata: Metadata };
