import { hash } from 'node:crypto';
import { refuseForeign } from './foreign-event.ts';
import { START, type EventLog, type Position, type RecordedEvent } from './port.ts';
import { canonicalJson } from '../schema/json.ts';

export interface StreamSum {
  readonly count: number;
  readonly checksum: string;
}

/** The sum of a stream after one more event. Positions are left out: each store has its own. */
export const addEvent = (before: StreamSum | undefined, event: RecordedEvent): StreamSum => {
  const { id, type, version, revision, data, metadata } = event;
  const content = [before?.checksum ?? '', revision, id, type, version, data, metadata];
  return {
    count: (before?.count ?? 0) + 1,
    checksum: hash('sha256', canonicalJson(content), 'base64'),
  };
};

/** Sums by the name of the stream. */
export type LogSums = ReadonlyMap<string, StreamSum>;

const BATCH_SIZE = 2_000;
type ReadableLog = Pick<EventLog, 'subscribe'>;

const { signal: never } = new AbortController();

/** The event log up to a position, or until the signal is aborted, in batches. @throws ForeignEvent */
export async function* readLog(
  log: ReadableLog,
  end: Position,
  signal: AbortSignal = never,
): AsyncGenerator<readonly RecordedEvent[], void, undefined> {
  if (end === START) return;
  for await (const { events, position } of log.subscribe(START, { batchSize: BATCH_SIZE, signal })) {
    const wanted = events.filter((event) => event.position <= end);
    refuseForeign(wanted);
    yield wanted;
    if (position >= end) break;
  }
}

/**
 * The sums of all streams up to a position.
 *
 * @param onEvent called for each event with the sum of its stream up to there
 * @throws ForeignEvent for an event that this service cannot have written
 */
export const sumLog = async (
  log: ReadableLog,
  end: Position,
  onEvent: (stream: string, sum: StreamSum) => void,
): Promise<LogSums> => {
  const sums = new Map<string, StreamSum>();
  for await (const events of readLog(log, end))
    for (const event of events) {
      const sum = addEvent(sums.get(event.stream), event);
      sums.set(event.stream, sum);
      onEvent(event.stream, sum);
    }
  return sums;
};

/** A stream that differs between two event logs; undefined when none does. */
export const differenceOf = (one: LogSums, other: LogSums): string | undefined => {
  for (const [stream, { checksum }] of one) if (other.get(stream)?.checksum !== checksum) return stream;
  for (const stream of other.keys()) if (!one.has(stream)) return stream;
  return undefined;
};
