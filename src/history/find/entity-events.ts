import { streamOf } from '../../domain/decider.ts';
import { isNaming, ownCategories, type Entity } from '../../domain/entity.ts';
import { START, type Position, type RecordedEvent } from '../../event-store/port.ts';
import { inParallel } from '../../lib/in-parallel.ts';
import { STREAMS_AT_ONCE, streamsBetween, type HistorySource } from '../moment/streams.ts';

/** Whether an event is one of an entity's own streams, or names the entity in its data. */
export const concerns = (entity: Entity): ((event: RecordedEvent) => boolean) => {
  const own = ownCategories[entity.kind].map((category) => streamOf({ category }, entity.id));
  return ({ stream, data }) => own.includes(stream) || isNaming(data, entity);
};

/** The events up to a position that concern an entity, in the event log's order. */
export const eventsOfEntity = async (
  { log, index }: HistorySource,
  entity: Entity,
  upTo: Position,
): Promise<readonly RecordedEvent[]> => {
  const isOfEntity = concerns(entity);
  const known = (await index.streamsNaming(entity)) ?? { streams: [], upTo: START };
  const later = await streamsBetween(log, { after: known.upTo, upTo }, isOfEntity);
  const own = ownCategories[entity.kind].map((category) => streamOf({ category }, entity.id));
  const found: RecordedEvent[] = [];
  await inParallel([...new Set([...own, ...known.streams, ...later])], STREAMS_AT_ONCE, async (stream) => {
    for (const event of await log.readStream(stream))
      if (event.position <= upTo && isOfEntity(event)) found.push(event);
  });
  return found.sort((a, b) => (a.position < b.position ? -1 : 1));
};
