import type { GroupBatch, RecordedEvent } from '../event-store/port.ts';
import { foreignContent } from '../foreign-event.ts';
import { isObject } from '../json.ts';

const soundOf = (event: RecordedEvent): RecordedEvent => {
  if (!isObject(event.data)) return { ...event, ...foreignContent('data') };
  if (!isObject(event.metadata)) return { ...event, ...foreignContent('metadata') };
  return event;
};

/** The events of a batch, group by group. */
export const eventsIn = ({ text }: GroupBatch): RecordedEvent[][] =>
  // An event store of this service has written them.
  (JSON.parse(text) as RecordedEvent[][]).map((events) => events.map(soundOf));
