import { foreignContent, type EventContent } from '../foreign-event.ts';
import { isObject, type JsonObject } from '../../schema/json.ts';
import { toPosition } from './schema.ts';
import type { RecordedEvent } from '../port.ts';

/** The columns of an event, in the order of `Row`. */
export const COLUMNS = 'position, stream, revision, id, type, version, data, metadata';
export type Row = readonly [number, string, number, string, string, number, string, string];

/** Undefined for other than a JSON object: an operator may have written the row by hand. */
const parse = (text: string): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
};

const contentOf = (version: number, dataText: string, metadataText: string): EventContent => {
  const [data, metadata] = [parse(dataText), parse(metadataText)];
  if (!data) return foreignContent('data');
  if (!metadata) return foreignContent('metadata');
  return { version, data, metadata };
};

export const toEvent = ([
  position,
  stream,
  revision,
  id,
  type,
  version,
  data,
  metadata,
]: Row): RecordedEvent => ({
  position: toPosition(position),
  stream,
  revision,
  id,
  type,
  ...contentOf(version, data, metadata),
});
