import { createDecoder } from '../streams/decode.ts';
import { publishedEvents } from '../domain/published.ts';
import type { RecordedEvent } from '../event-store/port.ts';
import { isObject, type JsonObject } from '../schema/json.ts';
import { personalMarkOf } from '../schema/schema.ts';

const decode = createDecoder(publishedEvents);
const definitions = new Map(publishedEvents.map((definition) => [definition.type, definition]));

/** A value without the members that its schema marks as personal, at any depth. */
const withoutPersonal = (schema: unknown, value: unknown): unknown => {
  if (!isObject(schema)) return value;
  const { properties, items, anyOf } = schema;
  if (Array.isArray(value)) return value.map((each: unknown) => withoutPersonal(items, each));
  if (!isObject(value)) return value;
  const alternatives: readonly unknown[] = Array.isArray(anyOf) ? anyOf : [];
  const plain = alternatives.reduce<unknown>((before, each) => withoutPersonal(each, before), value);
  if (!isObject(properties) || !isObject(plain)) return plain;
  return Object.fromEntries(
    Object.entries(plain).flatMap(([name, member]) => {
      const own = properties[name];
      if (isObject(own) && personalMarkOf(own)) return [];
      return [[name, withoutPersonal(own, member)]];
    }),
  );
};

/**
 * The body that is sent of an event, with the newest version of its data.
 *
 * @throws Error for an event that this code cannot read
 */
export const webhookPayloadOf = (event: RecordedEvent, includesPersonalData: boolean): string => {
  const decoded = decode(event);
  const definition = definitions.get(event.type);
  if (!decoded || !definition) throw new Error(`No event of the type ${event.type} is published`);
  const { metadata } = decoded;
  const data = decoded.data as JsonObject;
  return JSON.stringify({
    type: event.type,
    timestamp: metadata.recordedAt,
    id: event.id,
    entity: event.stream,
    revision: event.revision,
    position: event.position,
    version: definition.version,
    data: includesPersonalData ? data : withoutPersonal(definition.data, data),
  });
};
