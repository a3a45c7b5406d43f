import { noIndex } from '../moment/entity-index.ts';
import type { Mask } from '../moment/mask.ts';
import type { LogRange } from '../moment/moment.ts';
import type { HistorySource } from '../moment/streams.ts';
import { foundEvent, type FoundEvent } from './event.ts';
import { searchEvents, type EventFilter } from './search.ts';

/** Events of a part of the event log, in its order; once the signal is aborted they end early or throw its reason. */
export type EventsBetween = (
  range: LogRange,
  filter: Pick<EventFilter, 'types' | 'stream'>,
  signal: AbortSignal,
) => AsyncIterable<FoundEvent>;

/** Events that are read from an event log. */
export const eventsBetween = (log: HistorySource['log'], mask: Mask): EventsBetween =>
  async function* (range, filter, signal) {
    for await (const recorded of searchEvents({ log, index: noIndex }, filter, range, signal))
      yield foundEvent(recorded, mask);
  };
