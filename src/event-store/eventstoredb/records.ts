import type {
  AllStreamRecordedEvent,
  EventStoreDBClient,
  Position as LogPosition,
} from '@eventstore/db-client';
import { fromPosition, markOf, toPosition } from './events.ts';
import { OF_LEADER } from './leader.ts';
import { collect } from './reads.ts';
import { isOfType, untilAnswered } from './retry.ts';
import { CannotResume, START, type Mark, type Position } from '../port.ts';

/**
 * Single records of `$all`. A subscription that is begun at a position whose record was scavenged begins at the first
 * record after it, and leaves that one out as if it were the other: so each place to go on from is looked at.
 */

const INVALID_ARGUMENT = 3;

/** For a position inside a record 23.10 has no error of its own; later versions have, KurrentDB 26.1 with what it found there. */
const INSIDE_RECORD = /ReadAllResult: (?:Error$|InvalidPosition\b)/;

const isInsideRecord = (error: unknown): boolean =>
  isOfType(error, 'unknown') &&
  error instanceof Error &&
  (INSIDE_RECORD.test(error.message) || ('code' in error && error.code === INVALID_ARGUMENT));

/**
 * The first record at a position or after it, of whatever stream; undefined past the end.
 *
 * @throws CannotResume for a position inside a record, or of another kind of store
 */
export const firstFrom = (
  client: EventStoreDBClient,
  position: Position,
): Promise<AllStreamRecordedEvent | undefined> =>
  untilAnswered(client, async () => {
    try {
      const [first] = await collect(
        client.readAll({ ...OF_LEADER, fromPosition: fromPosition(position), maxCount: 1 }),
      );
      return first?.event;
    } catch (error) {
      throw isInsideRecord(error) ? new CannotResume(position) : error;
    }
  });

/** The same, for a position that may be none. */
const tryFrom = async (
  client: EventStoreDBClient,
  position: Position,
): Promise<AllStreamRecordedEvent | undefined> => {
  try {
    return await firstFrom(client, position);
  } catch (error) {
    if (error instanceof CannotResume) return undefined;
    throw error;
  }
};

/** The record that stands exactly at a position; undefined where none does. */
export const recordAt = async (
  client: EventStoreDBClient,
  position: Position,
): Promise<AllStreamRecordedEvent | undefined> => {
  const first = position === START ? undefined : await tryFrom(client, position);
  return first && toPosition(first.position) === position ? first : undefined;
};

/**
 * Makes sure that the log still holds a record.
 *
 * @param id where it is known
 * @throws CannotResume when it does not
 */
export const stillAt = async (
  client: EventStoreDBClient,
  position: Position,
  id: string | undefined,
): Promise<Mark> => {
  const record = await recordAt(client, position);
  if (!record || record.id !== (id ?? record.id)) throw new CannotResume(position);
  return markOf(record);
};

/**
 * The record that a checkpoint of a subscription stands for; undefined when it is gone. While it catches up the server tells
 * the place behind a record, with no half for the prepare: the record that begins there was looked through as well.
 */
export const recordOfCheckpoint = async (
  client: EventStoreDBClient,
  checkpoint: LogPosition,
): Promise<Mark | undefined> => {
  const first = await tryFrom(client, toPosition(checkpoint));
  return first?.position.commit === checkpoint.commit ? markOf(first) : undefined;
};
