import type { EventStore, RecordedEvent } from '../src/event-store/port.ts';
import type { MemoryLog } from './memory-stores.ts';

const categoryOf = (stream: string): string => stream.slice(0, stream.indexOf('-'));

const placeOf = ({ stream, revision }: Pick<RecordedEvent, 'stream' | 'revision'>): string =>
  `${revision} ${stream}`;

/** A store in memory that finds the streams of a category, as the embedded one does. */
export const withStreams = (store: EventStore, log: MemoryLog): EventStore => ({
  ...store,
  async *readStreams({ categories, types, upTo, batchSize, after }) {
    const orderOf = (a: RecordedEvent, b: RecordedEvent): number =>
      categories.indexOf(categoryOf(a.stream)) - categories.indexOf(categoryOf(b.stream)) ||
      (a.stream === b.stream ? a.revision - b.revision : a.stream < b.stream ? -1 : 1);
    const last = log.events.find((event) => placeOf(event) === after);
    if (last && !categories.includes(categoryOf(last.stream)))
      throw new Error(`No read of these streams has stopped at ${last.stream}`);
    const left = log.events
      .filter(({ stream, position }) => position <= upTo && categories.includes(categoryOf(stream)))
      .filter((event) => types.includes(event.type) && (!last || orderOf(event, last) > 0))
      .sort(orderOf);
    for (let from = 0; from < left.length; from += batchSize) {
      const events = structuredClone(left.slice(from, from + batchSize));
      yield await Promise.resolve({ events, placeOf });
    }
  },
});
