import { decoder } from '../../domain/decode.ts';
import { eventDefinitions, type DomainEvent } from '../../domain/index.ts';
import type { RecordedEvent } from '../../event-store/port.ts';
import type { JsonObject } from '../../schema/json.ts';
import { maskedObject, type Mask } from '../moment/mask.ts';

/** An event of the history, as an analyst is shown it. */
export interface FoundEvent {
  readonly position: string;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  /** As recorded. */
  readonly version: number;
  readonly recordedAt: string | null;
  readonly actor: string | null;
  readonly requestId: string | null;
  readonly correlationId: string | null;
  /** Of the newest version of its type; null for an event that this code cannot read. */
  readonly data: JsonObject | null;
  /** Why this code cannot read it. */
  readonly unreadable?: string;
}

const decode = decoder(eventDefinitions);
const schemas = new Map<string, unknown>(eventDefinitions.map(({ type, data }) => [type, data]));

/** The event as this code reads it, or why it cannot. */
export const readingOf = (recorded: RecordedEvent): DomainEvent | { readonly unreadable: string } => {
  try {
    return decode(recorded) ?? { unreadable: `this code knows no events of type ${recorded.type}` };
  } catch (error) {
    return { unreadable: error instanceof Error ? error.message : String(error) };
  }
};

/** An event's data, masked. */
export const maskedData = ({ type, data }: DomainEvent, mask: Mask): JsonObject =>
  maskedObject(mask, schemas.get(type), data);

const textIn = (metadata: JsonObject, name: string): string | null => {
  const value = Object.hasOwn(metadata, name) ? metadata[name] : undefined;
  return typeof value === 'string' ? value : null;
};

/** An event as it is shown, upcast and masked. */
export const foundEvent = (recorded: RecordedEvent, mask: Mask): FoundEvent => {
  const { position, stream, revision, id, type, version, metadata } = recorded;
  const read = readingOf(recorded);
  return {
    position,
    stream,
    revision,
    id,
    type,
    version,
    recordedAt: textIn(metadata, 'recordedAt'),
    actor: textIn(metadata, 'actor'),
    requestId: textIn(metadata, 'requestId'),
    correlationId: textIn(metadata, '$correlationId'),
    ...('unreadable' in read
      ? { data: null, unreadable: read.unreadable }
      : { data: maskedData(read, mask) }),
  };
};
