import type { AllStreamRecordedEvent, EventStoreDBClient, Position as LogPosition } from '@eventstore/db-client';
import { toClientPosition, toEventPointer, toPosition } from './client-events.ts';
import { LEADER_OPTIONS } from './leader.ts';
import { collect } from './reads.ts';
import { isClientErrorOfType, retryWithCircuitBreaker } from './retry.ts';
import { CannotResumeError, START_POSITION, type EventPointer, type Position } from '../port.ts';

/**
 * Single records of `$all`. A subscription after a position whose record was scavenged leaves out the record that
 * follows, so the record at the position is looked up first.
 */

const INVALID_ARGUMENT = 3;

/**
 * EventStoreDB 23.10 has no error of its own for a position inside a record; later versions have, and KurrentDB 26.1
 * adds what it found there.
 */
const INSIDE_RECORD = /ReadAllResult: (?:Error$|InvalidPosition\b)/;

const isInsideRecord = (error: unknown): boolean =>
  isClientErrorOfType(error, 'unknown') &&
  error instanceof Error &&
  (INSIDE_RECORD.test(error.message) || ('code' in error && error.code === INVALID_ARGUMENT));

/**
 * The first record at or after a position, of any stream; undefined past the end.
 *
 * @throws CannotResumeError for a position inside a record, or of another kind of store
 */
export const readFirstRecordFrom = (
  client: EventStoreDBClient,
  position: Position,
): Promise<AllStreamRecordedEvent | undefined> =>
  retryWithCircuitBreaker(client, async () => {
    try {
      const [first] = await collect(
        client.readAll({ ...LEADER_OPTIONS, fromPosition: toClientPosition(position), maxCount: 1 }),
      );
      return first?.event;
    } catch (error) {
      throw isInsideRecord(error) ? new CannotResumeError(position) : error;
    }
  });

/** As `readFirstRecordFrom`, but undefined where that throws CannotResumeError. */
const tryFrom = async (client: EventStoreDBClient, position: Position): Promise<AllStreamRecordedEvent | undefined> => {
  try {
    return await readFirstRecordFrom(client, position);
  } catch (error) {
    if (error instanceof CannotResumeError) return undefined;
    throw error;
  }
};

/** The record exactly at a position; undefined where there is none. */
export const recordAt = async (
  client: EventStoreDBClient,
  position: Position,
): Promise<AllStreamRecordedEvent | undefined> => {
  const first = position === START_POSITION ? undefined : await tryFrom(client, position);
  return first && toPosition(first.position) === position ? first : undefined;
};

/** Checks that the event log still holds a record, with this id if known. @throws CannotResumeError otherwise */
export const requireRecordAt = async (
  client: EventStoreDBClient,
  position: Position,
  id: string | undefined,
): Promise<EventPointer> => {
  const record = await recordAt(client, position);
  if (!record || record.id !== (id ?? record.id)) throw new CannotResumeError(position);
  return toEventPointer(record);
};

/**
 * The record of a checkpoint; undefined when it is gone. While it catches up, the server names the place
 * behind a record, and only its commit half. The record that begins at that place was filtered, too.
 */
export const findCheckpointRecord = async (
  client: EventStoreDBClient,
  checkpoint: LogPosition,
): Promise<EventPointer | undefined> => {
  const first = await tryFrom(client, toPosition(checkpoint));
  return first?.position.commit === checkpoint.commit ? toEventPointer(first) : undefined;
};
