import type { Decider } from '../../streams/decider.ts';
import { deciders, decodeDomainEvent, eventDefinitions, type DomainEvent } from '../../domain/index.ts';
import type { RecordedEvent } from '../../event-store/port.ts';
import { errorMessageOf } from '../../lib/error.ts';
import type { JsonObject } from '../../schema/json.ts';
import { Identifier, nullable, object, personal } from '../../schema/schema.ts';
import { Type, type Static } from '../../schema/typebox.ts';
import type { Mask } from './mask.ts';

export const createAnyObjectSchema = (description: string) => Type.Unsafe<JsonObject>({ type: 'object', description });
export const AnyObject = createAnyObjectSchema('Any object of JSON.');

export const eventMemberSchemas = {
  position: Type.String(),
  stream: Type.String(),
  revision: Type.Integer(),
  id: Type.String(),
  type: Type.String(),
  version: Type.Integer({ description: 'As recorded.' }),
  recordedAt: nullable(Type.String()),
  actor: nullable(Type.String()),
  requestId: nullable(Type.String()),
  correlationId: nullable(Type.String()),
};
/** Names of members that are null because their value would tell of a place. */
export const WithheldNames = Type.Unsafe<readonly string[]>(
  Type.Array(Type.String(), {
    description: 'Members that are withheld, whatever they hold: null. None where personal data is shown.',
  }),
);
/** Members that only some events have. */
export const eventNoteSchemas = {
  withheld: Type.Optional(WithheldNames),
  unreadable: Type.Optional(Type.String({ description: 'Why this code cannot read it.' })),
};

/**
 * An event of the history, as an analyst is shown it. Its data is of the newest version of its type; null for an event
 * that this code cannot read.
 */
export const HistoryEvent = object(
  { ...eventMemberSchemas, data: nullable(AnyObject), ...eventNoteSchemas },
  { title: 'RecordedEvent' },
);
export type HistoryEvent = Static<typeof HistoryEvent>;

const schemas = new Map<string, unknown>(eventDefinitions.map(({ type, data }) => [type, data]));

/** The event as this code reads it, or why it cannot. */
export const tryDecode = (recorded: RecordedEvent): DomainEvent | { readonly unreadable: string } => {
  try {
    return decodeDomainEvent(recorded) ?? { unreadable: `this code knows no events of type ${recorded.type}` };
  } catch (error) {
    return { unreadable: errorMessageOf(error) };
  }
};

const kinds: readonly Pick<Decider<unknown>, 'category' | 'isIdPersonal'>[] = deciders;
const personalNames = kinds.filter((kind) => kind.isIdPersonal).map(({ category }) => `${category}-`);
const StreamName = object({ id: Identifier, name: personal(Identifier, 'id', 'numberHash') });

/**
 * A stream's name as it is shown. A personal one is masked by each event: the stream is the same for several people.
 */
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
