import { Type, type Static, type TObject, type TProperties } from '../schema/typebox.ts';
import { Timestamp, object } from '../schema/schema.ts';
import type { JsonObject } from '../schema/json.ts';

/**
 * `$correlationId` and `$causationId`, as EventStoreDB names them, and `requestId` are the id of the request: of the
 * commute measurer that of the document it acts on, at the command line that of the act. `recordedAt` is here too, so
 * that a copied event log keeps its times.
 */
export const Metadata = object({
  $correlationId: Type.String(),
  $causationId: Type.String(),
  actor: Type.String({
    description:
      'A user id; key:<name> when an API key acted alone; service:<what> for the service itself; os:<name> for a user of the machine, at the command line.',
  }),
  requestId: Type.String(),
  recordedAt: Timestamp,
  clockAt: Type.Optional({
    ...Timestamp,
    description: 'What the clock said, where that was before the last event of the stream, whose time is recordedAt.',
  }),
  traceparent: Type.Optional(
    Type.String({ description: 'The span that led to it (W3C Trace Context), where that was recorded.' }),
  ),
});
export type Metadata = Static<typeof Metadata>;

/** When an event happened by the clock: hourly limits go by it, since a clock that was ahead is set back. */
export const clockTimeOf = ({ clockAt, recordedAt }: Pick<Metadata, 'clockAt' | 'recordedAt'>): string =>
  clockAt ?? recordedAt;

/** One type of event; refactorings never change its stored name or version. */
export interface EventDefinition<Name extends string = string, Data extends TObject = TObject> {
  readonly type: Name;
  readonly version: number;
  readonly summary: string;
  readonly data: Data;
  /** `upcasters[v]` turns data of version v into version v + 1. */
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

/** The union of the defined events as they are decided, without metadata. */
export type NewEventOf<D> =
  D extends EventDefinition<infer Name, infer Data> ? { readonly type: Name; readonly data: Static<Data> } : never;

/** With metadata, as they are folded or applied. */
export type EventOf<D> = NewEventOf<D> & { readonly metadata: Metadata };
export type UntypedEvent = EventOf<EventDefinition>;
