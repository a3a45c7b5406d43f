import { isNaming, ownStreams, type Entity } from '../../domain/entity.ts';
import { byPosition, START, type RecordedEvent } from '../../event-store/port.ts';
import { inRange, type LogRange } from '../moment/moment.ts';
import { eventsOfStreams, streamsBetween, type HistorySource } from '../moment/streams.ts';

/** Whether an event is one of an entity's own streams, or names the entity in its data. */
export const concerns = (entity: Entity): ((event: RecordedEvent) => boolean) => {
  const own = ownStreams(entity);
  return ({ stream, data }) => own.includes(stream) || isNaming(data, entity);
};

/** The events of a range that concern an entity, in the event log's order. */
export const eventsOfEntity = async (
  source: HistorySource,
  entity: Entity,
  range: LogRange,
): Promise<readonly RecordedEvent[]> => {
  const isOfEntity = concerns(entity);
  const known = (await source.index.streamsNaming(entity)) ?? { streams: [], upTo: START };
  const later = await streamsBetween(source, { after: known.upTo, upTo: range.upTo }, isOfEntity);
  const streams = new Set([...ownStreams(entity), ...known.streams, ...later]);
  const isIn = inRange(range);
  const found: RecordedEvent[] = [];
  for await (const events of eventsOfStreams(source, [...streams]))
    for (const event of events) if (isIn(event) && isOfEntity(event)) found.push(event);
  return found.sort(byPosition);
};
