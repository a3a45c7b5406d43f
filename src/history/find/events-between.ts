import { noIndex } from '../moment/entity-index.ts';
import type { Mask } from '../moment/mask.ts';
import type { LogRange } from '../moment/moment.ts';
import type { HistorySource } from '../moment/streams.ts';
import { foundEvent, type FoundEvent } from './event.ts';
import { refuseUnknown, searchEvents, type EventFilter } from './search.ts';

/** Events of a part of the event log, in its order; once the signal is aborted they end early or throw its reason. */
export type EventsBetween = (
  range: LogRange,
  filter: Pick<EventFilter, 'types' | 'stream'>,
  signal: AbortSignal,
) => AsyncIterable<FoundEvent>;

/** Events that are read from an event log. */
export const eventsBetween = (log: HistorySource['log'], mask: Mask): EventsBetween =>
  async function* (range, filter, signal) {
    const source = { log, index: noIndex };
    let isFound = false;
    for await (const recorded of searchEvents(source, filter, range, signal)) {
      isFound = true;
      yield foundEvent(recorded, mask);
    }
    if (!isFound) await refuseUnknown(source, filter, range);
  };
