import type {
  JSONEventData,
  Position as LogPosition,
  RecordedEvent as ClientEvent,
} from '@eventstore/db-client';
import { isObject, type JsonObject } from '../json.ts';
import { START, type EventData, type Position, type RecordedEvent } from './port.ts';

/** As many digits as the largest unsigned 64-bit number has. */
const DIGITS = 20;
/** Below the server's limit of 1 MiB an append, with room for what surrounds the events. */
const MOST_BYTES = 1_000_000;

/** Both halves: in a log that was written in transactions, the commit position alone is not unique. */
export const toPosition = ({ commit, prepare }: LogPosition): Position =>
  `${commit.toString().padStart(DIGITS, '0')}/${prepare.toString().padStart(DIGITS, '0')}`;

/** @throws Error for a position of another kind of store */
export const fromPosition = (position: Position): 'start' | LogPosition => {
  if (position === START) return 'start';
  const [commit, prepare, ...more] = position.split('/');
  if (commit?.length !== DIGITS || prepare?.length !== DIGITS || more.length > 0)
    throw new Error(`${position} is not a position of EventStoreDB`);
  return { commit: BigInt(commit), prepare: BigInt(prepare) };
};

/**
 * Events as the client takes them. The version stands in the metadata.
 *
 * @throws Error for what is not JSON or too large: the client would never settle
 */
export const toClient = (events: readonly EventData[]): JSONEventData[] => {
  let bytes = 0;
  return events.map(({ id, type, version, data, metadata }) => {
    bytes += Buffer.byteLength(JSON.stringify([data, metadata]));
    if (bytes > MOST_BYTES) throw new Error(`An append is larger than ${MOST_BYTES} bytes`);
    return {
      id,
      type,
      contentType: 'application/json',
      data,
      metadata: { ...metadata, schemaVersion: version },
    };
  });
};

/** An event that this service cannot have written. Reading it again does not help. */
export class ForeignEvent extends Error {}

/**
 * An event as it was appended.
 *
 * @param prefix what stands before the streams of this service
 * @throws ForeignEvent for an event that this service cannot have written
 */
export const fromClient = (event: ClientEvent, prefix: string): RecordedEvent => {
  const { streamId, id, revision, type, data, metadata, position } = event;
  const refuse = (what: string) =>
    new ForeignEvent(`Event ${revision} of the stream ${streamId} in EventStoreDB ${what}`);
  if (!position) throw refuse('has no position: the server must be of version 23.10 or newer');
  if (!isObject(data) || !isObject(metadata)) throw refuse('is not JSON with metadata');
  const { schemaVersion, ...rest } = metadata;
  if (typeof schemaVersion !== 'number') throw refuse('has no schemaVersion');
  return {
    id,
    type,
    version: schemaVersion,
    // What comes out of JSON.parse is JSON.
    data: data as JsonObject,
    metadata: rest as JsonObject,
    stream: streamId.slice(prefix.length),
    revision: Number(revision),
    position: toPosition(position),
  };
};
