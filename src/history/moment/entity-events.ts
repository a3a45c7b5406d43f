import { streamOf } from '../../streams/decider.ts';
import {
  entityKinds,
  hasReferenceTo,
  categoriesByEntityKind,
  streamNamesOfEntity,
  type Entity,
} from '../../domain/entity.ts';
import { notFound } from '../../errors/domain-error.ts';
import { byPosition, START_POSITION, type RecordedEvent } from '../../event-store/port.ts';
import { createRangeFilter, type LogRange } from './moment.ts';
import { readStreamsInBatches, findStreamsInRange, type IndexedEventLog } from './indexed-event-log.ts';

/** Whether an event is one of an entity's own streams, or names the entity in its data. */
export const createEntityEventFilter = (entity: Entity): ((event: RecordedEvent) => boolean) => {
  const own = streamNamesOfEntity(entity);
  return ({ stream, data }) => own.includes(stream) || hasReferenceTo(data, entity);
};

/** The events of a range that concern an entity, in the event log's order. */
export const readEntityEvents = async (
  source: IndexedEventLog,
  entity: Entity,
  range: LogRange,
): Promise<readonly RecordedEvent[]> => {
  const isOfEntity = createEntityEventFilter(entity);
  const known = await source.index.streamsReferencing(entity);
  const later = await findStreamsInRange(source, { after: known.upTo, upTo: range.upTo }, isOfEntity);
  const streams = new Set([...streamNamesOfEntity(entity), ...known.streams, ...later]);
  const isIn = createRangeFilter(range);
  const found: RecordedEvent[] = [];
  for await (const events of readStreamsInBatches(source, [...streams]))
    for (const event of events) if (isIn(event) && isOfEntity(event)) found.push(event);
  return found.sort(byPosition);
};

/** That no event of a range names an entity, and which others have its id. */
export const unknownEntityError = async (
  { log }: IndexedEventLog,
  { kind, id }: Entity,
  { upTo, recordedBy = null }: LogRange,
): Promise<Error> => {
  const events = await log.readStreams(entityKinds.flatMap((each) => streamNamesOfEntity({ kind: each, id })));
  const others = entityKinds.filter((each) =>
    events.some(({ stream }) => categoriesByEntityKind[each].some((category) => stream === streamOf({ category }, id))),
  );
  const there = others.filter((each) => each !== kind).map((each) => `${each}:${id}`);
  const known = there.length > 0 ? `; there is ${there.join(', ')}` : '';
  const end = recordedBy ?? `the position ${upTo}`;
  return notFound(`No event up to ${end} names ${kind}:${id}${known}`);
};

/**
 * An entity that was not there yet at a time has no rows, as one that is not known has none: only the latter is
 * refused.
 *
 * @throws DomainError not-found for an entity that no event names up to the position at which a range ends
 */
export const refuseUnknownEntity = async (source: IndexedEventLog, entity: Entity, range: LogRange): Promise<void> => {
  const all = { ...range, after: START_POSITION, recordedAfter: null, recordedBy: null };
  if ((await readEntityEvents(source, entity, all)).length === 0) throw await unknownEntityError(source, entity, all);
};
