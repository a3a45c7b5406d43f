import { refuseForeign } from './foreign-event.ts';
import { START, type EventLog, type Position, type RecordedEvent } from './port.ts';

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
