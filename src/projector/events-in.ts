import type { GroupBatch, RecordedEvent } from '../event-store/port.ts';
import { foreignContent } from '../event-store/foreign-event.ts';
import { isObject } from '../schema/json.ts';

const soundOf = (event: RecordedEvent): RecordedEvent => {
  if (!isObject(event.data)) return { ...event, ...foreignContent('data') };
  if (!isObject(event.metadata)) return { ...event, ...foreignContent('metadata') };
  return event;
};

/** The events of a batch, group by group. */
export const eventsIn = ({ texts }: GroupBatch): RecordedEvent[][] =>
  // An event store of this service has written these texts.
  texts.map((text) => (JSON.parse(text) as RecordedEvent[]).map(soundOf));
