import { isNaming, ownStreams, type Entity } from '../../domain/entity.ts';
import { byPosition, START, type Position, type RecordedEvent } from '../../event-store/port.ts';
import { eventsOfStreams, streamsBetween, type HistorySource } from '../moment/streams.ts';

/** Whether an event is one of an entity's own streams, or names the entity in its data. */
export const concerns = (entity: Entity): ((event: RecordedEvent) => boolean) => {
  const own = ownStreams(entity);
  return ({ stream, data }) => own.includes(stream) || isNaming(data, entity);
};

/** The events up to a position that concern an entity, in the event log's order. */
export const eventsOfEntity = async (
  source: HistorySource,
  entity: Entity,
  upTo: Position,
): Promise<readonly RecordedEvent[]> => {
  const isOfEntity = concerns(entity);
  const known = (await source.index.streamsNaming(entity)) ?? { streams: [], upTo: START };
  const later = await streamsBetween(source, { after: known.upTo, upTo }, isOfEntity);
  const streams = new Set([...ownStreams(entity), ...known.streams, ...later]);
  const found: RecordedEvent[] = [];
  for await (const events of eventsOfStreams(source, [...streams]))
    for (const event of events) if (event.position <= upTo && isOfEntity(event)) found.push(event);
  return found.sort(byPosition);
};
