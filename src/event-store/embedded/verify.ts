import { setImmediate } from 'node:timers/promises';
import { closeAfter, openReader } from '../../sqlite/connections.ts';
import { findIntegrityFaults } from '../../sqlite/integrity.ts';
import type { EventsOrLoss } from '../events-or-loss.ts';
import type { LogDamage, Position } from '../port.ts';
import { readAroundDamage } from './around-damage.ts';
import { MISSING_EVENT_TEXT } from './verifying-reader.ts';
import { STREAM_INDEX_NAME, toPosition } from './schema.ts';
import { errorMessageOf } from '../../lib/error.ts';

/** The damage of a part of an event log; undefined for events, and for positions that are noted as lost. */
const partDamage = (file: string, part: EventsOrLoss): LogDamage | undefined => {
  if (part.kind === 'events' || part.kind === 'noted') return undefined;
  const { first, last, streams } = part;
  return { file, first, last, what: part.kind === 'missing' ? MISSING_EVENT_TEXT : part.why, streams };
};

/** Rows that the index of streams does not lead to. */
const NOT_INDEXED = `
  SELECT position, CAST(stream AS BLOB) FROM events AS one NOT INDEXED
  WHERE NOT EXISTS (
    SELECT 1 FROM events AS other INDEXED BY ${STREAM_INDEX_NAME}
    WHERE other.stream = one.stream AND other.revision = one.revision AND other.position = one.position)
  LIMIT 1000`;
const COUNTS = `
  SELECT (SELECT count(*) FROM (SELECT stream, revision FROM events INDEXED BY ${STREAM_INDEX_NAME} ORDER BY stream, revision)),
    (SELECT count(*) FROM events NOT INDEXED)`;

/** Compares the index by which streams are read with the table. */
export const findIndexDamage = (file: string): readonly LogDamage[] =>
  closeAfter(openReader(file), (connection) => {
    try {
      const unindexed = connection.prepare(NOT_INDEXED).raw().all([]) as (readonly [number, Buffer | null])[];
      const [indexed, stored] = connection.prepare(COUNTS).raw().get([]) as readonly [number, number];
      const [first] = unindexed;
      if (first) {
        const positions = unindexed.map(([position]) => position);
        return [
          {
            file,
            first: toPosition(Math.min(...positions)),
            last: toPosition(Math.max(...positions)),
            what: `the index of streams does not lead to ${unindexed.length === 1 ? 'an event' : `${unindexed.length} events`}`,
            streams: [...new Set(unindexed.flatMap(([, stream]) => (stream ? [stream.toString()] : [])))],
          },
        ];
      }
      return indexed === stored ? [] : [{ file, what: 'the index of streams leads to events that are not there' }];
    } catch (error) {
      const reason = errorMessageOf(error);
      return [{ file, what: `the index of streams cannot be read: ${reason}` }];
    }
  });

export interface VerifyProtocol {
  /** The path of the file. */
  readonly input: string;
  readonly item: LogDamage;
}

/**
 * Finds all damage of an event log: what SQLite's own check finds, what the index of streams lacks, and each event that
 * does not match its checksum. The service may be running on the file. Ends early when the signal is aborted.
 *
 * @param onRead called again and again with the position up to which events were read
 * @throws Error for a file that cannot be opened as an event log at all
 */
export async function* findLogDamage(
  file: string,
  signal: AbortSignal,
  onRead: (position: Position) => void = () => undefined,
): AsyncGenerator<LogDamage, void, undefined> {
  const found = [...findIndexDamage(file)];
  yield* found;
  await setImmediate();
  for (const part of readAroundDamage(file)) {
    if (signal.aborted) return;
    const damage = partDamage(file, part);
    const last = part.kind === 'events' ? part.events.at(-1)?.position : part.last;
    if (last !== undefined) onRead(last);
    if (damage) {
      found.push(damage);
      yield damage;
    }
    await setImmediate();
  }
  // What it finds in events and their index was yielded above, with positions.
  const [fault] = findIntegrityFaults(file);
  if (fault !== undefined && found.length === 0) yield { file, what: fault.replace(/\s+/g, ' ') };
}
