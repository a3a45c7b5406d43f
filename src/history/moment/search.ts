import { setImmediate } from 'node:timers/promises';
import type { Entity } from '../../domain/entity.ts';
import type { Position, RecordedEvent } from '../../event-store/port.ts';
import type { JsonObject } from '../../schema/json.ts';
import { createRangeFilter, type LogRange, type OpenLogRange } from './moment.ts';
import type { IndexedEventLog } from './indexed-event-log.ts';
import { notFound } from '../../errors/domain-error.ts';
import { createEntityEventFilter, readEntityEvents, refuseUnknownEntity } from './entity-events.ts';
import { tryDecode } from './history-event.ts';
import { matchesCondition, type MemberCondition } from './member-condition.ts';

/** Which events are meant: those that meet all given conditions. */
export interface EventFilter {
  /** Any of them. */
  readonly types?: readonly string[] | undefined;
  readonly stream?: string | undefined;
  readonly entity?: Entity | undefined;
  readonly actor?: string | undefined;
  readonly correlationId?: string | undefined;
  readonly where?: readonly MemberCondition[] | undefined;
}

const BATCH = 1_000;

/** An event that this code cannot read meets no condition on its members. */
const holdFor = (event: RecordedEvent, where: readonly MemberCondition[]): boolean => {
  if (where.length === 0) return true;
  const read = tryDecode(event);
  const data: JsonObject = 'unreadable' in read ? {} : read.data;
  return where.every((condition) => matchesCondition(data, condition));
};

const isMeant = (filter: EventFilter): ((event: RecordedEvent) => boolean) => {
  const { types, stream, entity, actor, correlationId, where = [] } = filter;
  const isOfEntity = entity && createEntityEventFilter(entity);
  return (event) =>
    (types?.includes(event.type) ?? true) &&
    (stream === undefined || event.stream === stream) &&
    (actor === undefined || event.metadata['actor'] === actor) &&
    (correlationId === undefined || event.metadata['$correlationId'] === correlationId) &&
    (isOfEntity?.(event) ?? true) &&
    holdFor(event, where);
};

/** The events of a range that are meant, as they come, until the signal is aborted. */
export async function* followEvents(
  { log }: IndexedEventLog,
  filter: EventFilter,
  range: OpenLogRange,
  signal: AbortSignal,
): AsyncGenerator<{ readonly events: readonly RecordedEvent[]; readonly position: Position }, void, undefined> {
  const { recordedAfter = null, recordedBy = null } = range;
  // A range by time must see all events, of whatever type.
  const types = recordedAfter === null && recordedBy === null ? filter.types : undefined;
  const [isIn, isWanted] = [createRangeFilter(range), isMeant(filter)];
  for await (const { events, position } of log.subscribe(range.after, {
    batchSize: BATCH,
    signal,
    ...(types && { types }),
  })) {
    yield { events: events.filter((event) => isIn(event) && isWanted(event)), position };
    // Reading a file never waits: this gives others their turn.
    await setImmediate();
  }
}

/** The events of a range that are meant, in its order: found by stream or entity, or else by reading the range. */
export async function* searchEvents(
  source: IndexedEventLog,
  filter: EventFilter,
  range: LogRange,
  signal: AbortSignal,
): AsyncGenerator<RecordedEvent, void, undefined> {
  if (range.after >= range.upTo) return;
  const { entity, stream } = filter;
  const found =
    stream !== undefined
      ? (await source.log.readStream(stream)).filter(createRangeFilter(range))
      : entity && (await readEntityEvents(source, entity, range));
  if (found) {
    yield* found.filter(isMeant(filter));
    return;
  }
  for await (const { events, position } of followEvents(source, filter, range, signal)) {
    yield* events;
    if (position >= range.upTo) return;
  }
}

/**
 * For a search that has found nothing.
 *
 * @throws DomainError not-found for a stream or an entity that there is not
 */
export const refuseUnknownStreamOrEntity = async (
  source: IndexedEventLog,
  { stream, entity }: EventFilter,
  range: LogRange,
): Promise<void> => {
  if (stream !== undefined && (await source.log.readStream(stream)).length === 0)
    throw notFound(`There is no stream ${stream}; allowed: <category>-<id>, as posting-p1`);
  if (entity) await refuseUnknownEntity(source, entity, range);
};

/** The last events, the newest first. */
export const collectLastEvents = async (
  found: AsyncIterable<RecordedEvent>,
  most: number,
): Promise<readonly RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  for await (const event of found) {
    if (events.length === most) events.shift();
    events.push(event);
  }
  return events.reverse();
};
