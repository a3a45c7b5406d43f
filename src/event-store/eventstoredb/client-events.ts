import type {
  AllStreamRecordedEvent,
  JSONEventData,
  Position as LogPosition,
  RecordedEvent as ClientEvent,
} from '@eventstore/db-client';
import { isObject, type JsonObject } from '../../schema/json.ts';
import { createPlaceholderContent, type EventContent } from '../foreign-event.ts';
import {
  CannotResumeError,
  START_POSITION,
  type EventData,
  type EventPointer,
  type Position,
  type RecordedEvent,
} from '../port.ts';

/** Digits of the largest unsigned 64-bit number. */
const DIGITS = 20;
/** Below the server's limit of 1 MiB an append, with room for what surrounds the events. */
const MAX_BYTES = 1_000_000;

/** Commit and prepare: in an event log written in transactions the commit position alone is not unique. */
export const toPosition = ({ commit, prepare }: LogPosition): Position =>
  `${commit.toString().padStart(DIGITS, '0')}/${prepare.toString().padStart(DIGITS, '0')}`;

export const toEventPointer = ({ position, id }: Pick<AllStreamRecordedEvent, 'position' | 'id'>): EventPointer => ({
  position: toPosition(position),
  id,
});

const POSITION = new RegExp(`^(\\d{${DIGITS}})/(\\d{${DIGITS}})$`);

/** @throws CannotResumeError for a position of another kind of store */
export const toClientPosition = (position: Position): 'start' | LogPosition => {
  if (position === START_POSITION) return 'start';
  const [, commit, prepare] = POSITION.exec(position) ?? [];
  if (commit === undefined || prepare === undefined) throw new CannotResumeError(position);
  return { commit: BigInt(commit), prepare: BigInt(prepare) };
};

/** Events for the client library. @throws Error for what is not JSON or too large: the library would never settle */
export const toClientEvents = (events: readonly EventData[]): JSONEventData[] => {
  let bytes = 0;
  return events.map(({ id, type, version, data, metadata }) => {
    bytes += Buffer.byteLength(JSON.stringify([data, metadata]));
    if (bytes > MAX_BYTES) throw new Error(`An append is larger than ${MAX_BYTES} bytes`);
    return { id, type, contentType: 'application/json', data, metadata: { ...metadata, schemaVersion: version } };
  });
};

const eventContentOf = ({ isJson, data, metadata }: ClientEvent): EventContent => {
  if (!isJson || !isObject(data)) return createPlaceholderContent('data');
  if (!isObject(metadata) || metadata instanceof Uint8Array) return createPlaceholderContent('metadata');
  const { schemaVersion, ...rest } = metadata;
  if (typeof schemaVersion !== 'number' || !Number.isSafeInteger(schemaVersion))
    return createPlaceholderContent('version');
  // The client library has parsed both with JSON.parse.
  return { version: schemaVersion, data: data as JsonObject, metadata: rest as JsonObject };
};

/** An event as it was appended. @throws Error where the server is too old to give positions */
export const fromClientEvent = (event: ClientEvent, prefix: string): RecordedEvent => {
  const { streamId, id, revision, type, position } = event;
  if (!position)
    throw new Error(`EventStoreDB gives no position with ${streamId}: it must be of version 23.10 or newer`);
  return {
    id,
    type,
    ...eventContentOf(event),
    stream: streamId.slice(prefix.length),
    revision: Number(revision),
    position: toPosition(position),
  };
};
