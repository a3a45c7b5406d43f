import type { Decider } from '../../streams/decider.ts';
import { deciders, decode, eventDefinitions, type DomainEvent } from '../../domain/index.ts';
import type { RecordedEvent } from '../../event-store/port.ts';
import type { JsonObject } from '../../schema/json.ts';
import { Identifier, object, personal } from '../../schema/schema.ts';
import type { Mask } from './mask.ts';

/** An event of the history, as an analyst is shown it. */
export interface HistoryEvent {
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
  /** The members of its data that are withheld, whatever they hold: null; left out where there are none. */
  readonly withheld?: readonly string[];
  /** Why this code cannot read it. */
  readonly unreadable?: string;
}

const schemas = new Map<string, unknown>(eventDefinitions.map(({ type, data }) => [type, data]));

/** The event as this code reads it, or why it cannot. */
export const tryDecode = (recorded: RecordedEvent): DomainEvent | { readonly unreadable: string } => {
  try {
    return decode(recorded) ?? { unreadable: `this code knows no events of type ${recorded.type}` };
  } catch (error) {
    return { unreadable: error instanceof Error ? error.message : String(error) };
  }
};

const kinds: readonly Pick<Decider<unknown>, 'category' | 'isIdPersonal'>[] = deciders;
const personalNames = kinds.filter((kind) => kind.isIdPersonal).map(({ category }) => `${category}-`);
const StreamName = object({ id: Identifier, name: personal(Identifier, 'id', 'numberHash') });

/** A stream's name as it is shown. A personal one is masked by each event: the stream is the same for several people. */
const streamShown = ({ stream, id }: RecordedEvent, mask: Mask): string => {
  const start = personalNames.find((each) => stream.startsWith(each));
  if (start === undefined) return stream;
  const { name } = mask.show(StreamName, { id, name: stream.slice(start.length) });
  return typeof name === 'string' ? `${start}${name}` : start;
};

const textIn = (metadata: JsonObject, name: string): string | null => {
  const value = Object.hasOwn(metadata, name) ? metadata[name] : undefined;
  return typeof value === 'string' ? value : null;
};

/** An event as it is shown, upcast and masked. */
export const toHistoryEvent = (recorded: RecordedEvent, mask: Mask): HistoryEvent => {
  const { position, revision, id, type, version, metadata } = recorded;
  const read = tryDecode(recorded);
  const schema = schemas.get(type);
  const event: HistoryEvent = {
    position,
    stream: streamShown(recorded, mask),
    revision,
    id,
    type,
    version,
    recordedAt: textIn(metadata, 'recordedAt'),
    actor: textIn(metadata, 'actor'),
    requestId: textIn(metadata, 'requestId'),
    correlationId: textIn(metadata, '$correlationId'),
    data: 'unreadable' in read ? null : mask.show(schema, read.data),
  };
  // Most have neither: to copy them all would take a tenth of the time of an export.
  if ('unreadable' in read) return { ...event, unreadable: read.unreadable };
  const withheld = mask.withheldFrom(schema);
  return withheld.length > 0 ? { ...event, withheld } : event;
};
