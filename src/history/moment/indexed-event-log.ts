import { setImmediate } from 'node:timers/promises';
import { streamOf } from '../../streams/decider.ts';
import { categoriesByEntityKind, streamNamesOfEntity, type EntityKind } from '../../domain/entity.ts';
import type { EventDefinition } from '../../streams/events.ts';
import { deciders } from '../../domain/index.ts';
import { neverAborted } from '../../lib/never-aborted.ts';
import {
  byPosition,
  partitionKeyOf,
  type EventLog,
  type Position,
  type RecordedEvent,
} from '../../event-store/port.ts';
import { toLazilyDecodedEvent, type LazilyDecodedEvent } from '../../projector/apply-event.ts';
import { handlerOf, typesApplied, type Projection } from '../../projector/projection.ts';
import type { EntityIndex } from './entity-index.ts';
import { createMomentFilter, type LogRange, type Moment } from './moment.ts';
import type { HistoryReadModel } from './history-read-models.ts';

export interface IndexedEventLog {
  /** Aborted when the answer is of no use any more: reading ends then, and its reason is thrown. */
  readonly signal?: AbortSignal;
  readonly log: Pick<EventLog, 'readStream' | 'readStreams' | 'subscribe'>;
  readonly index: EntityIndex;
}

const BATCH = 1_000;
/** Streams that are read at a time: more are no faster, and whole streams may be long. */
const STREAMS_AT_ONCE = 50;

/** A kind of streams, with the types of its events that a projection applies. */
interface Applied {
  readonly category: string;
  readonly events: readonly EventDefinition[];
}

const appliedBy = (projection: Projection): readonly Applied[] => {
  const kinds: readonly Applied[] = deciders;
  return kinds.flatMap(({ category, events }) => {
    const applied = events.filter(({ type }) => handlerOf(projection, type) !== undefined);
    return applied.length > 0 ? [{ category, events: applied }] : [];
  });
};

/** Reads a part of the event log for the streams that have a wanted event there. @param types all when left out */
export const findStreamsInRange = async (
  { log, signal = neverAborted }: Pick<IndexedEventLog, 'log' | 'signal'>,
  { after, upTo }: Pick<LogRange, 'after' | 'upTo'>,
  isWanted: (event: RecordedEvent) => boolean,
  types?: readonly string[],
): Promise<readonly string[]> => {
  const found = new Set<string>();
  if (after >= upTo) return [];
  for await (const { events, position } of log.subscribe(after, {
    batchSize: BATCH,
    signal,
    ...(types && { types }),
  })) {
    for (const event of events) if (event.position <= upTo && isWanted(event)) found.add(event.stream);
    if (position >= upTo) break;
    // Reading a file never waits: this gives others their turn.
    await setImmediate();
  }
  signal.throwIfAborted();
  return [...found];
};

/** The events of some streams, each stream in its order. */
export async function* readStreamsInBatches(
  { log, signal }: Pick<IndexedEventLog, 'log' | 'signal'>,
  streams: readonly string[],
): AsyncGenerator<readonly RecordedEvent[], void, undefined> {
  for (let start = 0; start < streams.length; start += STREAMS_AT_ONCE) {
    // Reading a file never waits: this gives others their turn.
    if (start > 0) await setImmediate();
    signal?.throwIfAborted();
    yield await log.readStreams(streams.slice(start, start + STREAMS_AT_ONCE));
  }
}

/** The streams of some categories that an event's data names by their ids: a member `postingId` names a posting. */
const namedBy = (
  projection: Projection,
  each: LazilyDecodedEvent,
  categories: readonly string[],
): readonly string[] => {
  let data: Readonly<Record<string, unknown>>;
  try {
    data = each.eventFor(projection)?.data ?? {};
  } catch {
    // An event that cannot be read cannot be applied either.
    return [];
  }
  return categories.flatMap((category) => {
    const id = data[`${category}Id`];
    return typeof id === 'string' ? streamOf({ category }, id) : [];
  });
};

/** The kind of entity that a partition is. */
export const entityKindByPartitionKey: Readonly<Record<HistoryReadModel['by'], EntityKind>> = {
  postingId: 'posting',
  professionalId: 'professional',
  specialtyId: 'specialty',
};

/** The streams that a projection applies, whose events have the partition in their data. */
const rootsOf = async (
  source: IndexedEventLog,
  { projection, by }: HistoryReadModel,
  partition: string,
  upTo: Position,
): Promise<readonly string[]> => {
  const entity = { kind: entityKindByPartitionKey[by], id: partition };
  const own = streamNamesOfEntity(entity);
  const others = appliedBy(projection).filter(
    ({ category, events }) =>
      !categoriesByEntityKind[entity.kind].includes(category) &&
      events.some(({ data }) => Object.hasOwn(data.properties, by)),
  );
  if (others.length === 0) return own;
  const known = await source.index.streamsReferencing(entity);
  const isOther = (stream: string) => others.some(({ category }) => stream.startsWith(`${category}-`));
  const types = others.flatMap(({ events }) => events.map(({ type }) => type));
  const read = { after: known.upTo, upTo };
  const later = await findStreamsInRange(source, read, ({ data }) => partitionKeyOf(data, by) === partition, types);
  return [...own, ...known.streams.filter(isOther), ...later];
};

/** An event to apply, and whether an earlier moment has it, too. */
type EventAt = LazilyDecodedEvent & { readonly isEarlier: boolean };

/**
 * The events at a moment of some streams, of the streams that these name, and so on, in the event log's order. A
 * projection's handlers look things up by the ids in their events, so no other event can reach what these streams make.
 */
const eventsFrom = async (
  source: IndexedEventLog,
  projection: Projection,
  roots: readonly string[],
  moment: Moment,
  earlier?: Moment,
): Promise<readonly EventAt[]> => {
  const categories = appliedBy(projection).map(({ category }) => category);
  const types = new Set(typesApplied([projection]));
  const [isMeant, isEarlier] = [createMomentFilter(moment), earlier ? createMomentFilter(earlier) : () => false];
  const isApplied = (stream: string) => categories.some((category) => stream.startsWith(`${category}-`));
  const seen = new Set<string>();
  const events: EventAt[] = [];
  let next: ReadonlySet<string> = new Set(roots);
  while (next.size > 0) {
    const fresh = [...next].filter((stream) => !seen.has(stream) && isApplied(stream));
    const named = new Set<string>();
    for (const stream of fresh) seen.add(stream);
    for await (const batch of readStreamsInBatches(source, fresh))
      for (const recorded of batch) {
        // The filter has state: it must see every event.
        const isAtEarlier = isEarlier(recorded);
        if (!isMeant(recorded) || !types.has(recorded.type)) continue;
        const each = { ...toLazilyDecodedEvent(recorded), isEarlier: isAtEarlier };
        events.push(each);
        for (const other of namedBy(projection, each, categories)) named.add(other);
      }
    next = named;
  }
  return events.sort(byPosition);
};

/**
 * The events at a moment that can touch a partition of a read model, in the event log's order; each tells whether an
 * earlier moment has it, too.
 */
export const readPartitionEvents = async (
  source: IndexedEventLog,
  readModel: HistoryReadModel,
  partition: string,
  moment: Moment,
  earlier?: Moment,
): Promise<readonly EventAt[]> =>
  eventsFrom(
    source,
    readModel.projection,
    await rootsOf(source, readModel, partition, moment.position),
    moment,
    earlier,
  );

/**
 * The events at a moment that can touch a row, in the event log's order; undefined where no stream makes such a row.
 */
export const readRowEvents = async (
  source: IndexedEventLog,
  readModel: HistoryReadModel,
  id: string,
  moment: Moment,
) => {
  const { projection, by, madeBy, partitionIn } = readModel;
  if (partitionIn) {
    const partition = partitionIn(id);
    return { partition, events: await readPartitionEvents(source, readModel, partition, moment) };
  }
  const own = streamOf({ category: madeBy }, id);
  const [first] = await source.log.readStream(own);
  return (
    first && { partition: partitionKeyOf(first.data, by), events: await eventsFrom(source, projection, [own], moment) }
  );
};
