import { neverAborted } from '../lib/never-aborted.ts';
import { ForeignEventError, foreignEventMessage } from './foreign-event.ts';
import { START_POSITION, type EventLog, type Position, type RecordedEvent } from './port.ts';

const BATCH_SIZE = 2_000;
type ReadableLog = Pick<EventLog, 'subscribe'>;

/** The event log up to a position, or until the signal is aborted, in batches. */
export async function* readLogUpTo(
  log: ReadableLog,
  end: Position,
  signal = neverAborted,
): AsyncGenerator<readonly RecordedEvent[], void, undefined> {
  if (end === START_POSITION) return;
  for await (const { events, position } of log.subscribe(START_POSITION, { batchSize: BATCH_SIZE, signal })) {
    yield events.filter((event) => event.position <= end);
    if (position >= end) break;
  }
}

/** As `readLogUpTo`. @throws ForeignEventError for an event that this service cannot have written */
export async function* readLogRejectingForeign(
  log: ReadableLog,
  end: Position,
): AsyncGenerator<readonly RecordedEvent[], void, undefined> {
  for await (const events of readLogUpTo(log, end)) {
    const foreign = events.find((event) => event.foreign !== undefined);
    if (foreign) throw new ForeignEventError(foreignEventMessage(foreign));
    yield events;
  }
}
