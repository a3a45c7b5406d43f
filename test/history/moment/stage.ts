import fc from 'fast-check';
import { partitionAnswerAt } from '../../../src/history/moment/partition-at.ts';
import { historyReadModels, type HistoryReadModel } from '../../../src/history/moment/history-read-models.ts';
import { createProjectedEntityIndex, noIndex, type EntityIndex } from '../../../src/history/moment/entity-index.ts';
import type { IndexedEventLog } from '../../../src/history/moment/indexed-event-log.ts';
import type { Moment } from '../../../src/history/moment/moment.ts';
import { noMask } from '../../../src/history/moment/mask.ts';
import { START_POSITION, type EventLog, type RecordedEvent } from '../../../src/event-store/port.ts';
import type { JsonObject } from '../../../src/schema/json.ts';
import { applyLog, logOf } from '../../projections/applying.ts';
import { choices, histories, interleave } from '../../support/history.ts';
import { openMemoryEventStore, openMemoryReadModels } from '../../support/memory-stores.ts';
import { ids } from '../streams.ts';

/** A read model with one of its partitions. */
export interface Shown {
  readonly readModel: HistoryReadModel;
  readonly partition: string;
}

const partitionsBy = {
  postingId: ids.postings,
  professionalId: ids.professionals,
  specialtyId: ids.specialties,
} as const;

/** Every partition of every read model in the histories. */
export const everyPartition: readonly Shown[] = historyReadModels.flatMap((readModel) =>
  partitionsBy[readModel.by].map((partition) => ({ readModel, partition })),
);

/** A log in which times go back and forth, and two moments of it. */
export const logsWithMoments = fc
  .record({
    history: histories,
    order: choices,
    one: fc.integer({ min: 0, max: 1_000 }),
    other: fc.integer({ min: 0, max: 1_000 }),
    shown: fc.constantFrom(...everyPartition),
  })
  .map(({ history, order, one, other, shown }) => {
    // As they are read: fast-check makes some objects without a prototype, and none that is read is like that.
    const events = structuredClone(logOf(interleave(history, order)).events);
    const countOf = (thousandths: number) => Math.round((events.length * thousandths) / 1_000);
    const [first, last] = [countOf(Math.min(one, other)), countOf(Math.max(one, other))];
    return { events, first, last, ...shown };
  });

export const logWith = (events: readonly RecordedEvent[]): EventLog =>
  openMemoryEventStore({ events: [...events], idempotencyRecords: new Map(), holders: new Map() });

/** The history of a log in memory. */
export const sourceOf = (events: readonly RecordedEvent[]): IndexedEventLog => ({
  log: logWith(events),
  index: noIndex,
});

/** The index of entities that has been built from the first events of a log. */
export const indexOf = (events: readonly RecordedEvent[]): EntityIndex => {
  const readModels = openMemoryReadModels();
  return createProjectedEntityIndex(async (projection) => {
    await applyLog(readModels, projection, logOf(events));
    const checkpoint = await readModels.checkpointOf(projection.name);
    const end = events.at(-1);
    const last = end ? { position: end.position, id: end.id } : null;
    return checkpoint && { checkpoint: { ...checkpoint, last, isBuilt: true }, readModels };
  });
};

/** After so many events. */
export const momentAfter = (events: readonly RecordedEvent[], count: number): Moment => ({
  at: null,
  position: events[count - 1]?.position ?? START_POSITION,
  recordedAt: null,
});

/** The id of the document that a row shows. */
export const documentIdOf = ({ readModel, partition }: Shown, { id }: JsonObject): string => {
  if (typeof id !== 'string') throw new Error(`A row of ${readModel.name} has no id`);
  return readModel.name === 'saved-postings' ? `${partition}/${id}` : id;
};

/** The rows at a moment, by the ids of their documents. */
export const rowsById = async (
  shown: Shown,
  events: readonly RecordedEvent[],
  moment: Moment,
  mask = noMask,
): Promise<ReadonlyMap<string, JsonObject>> => {
  const { rows } = await partitionAnswerAt(sourceOf(events), shown.readModel, shown.partition, moment, mask);
  return new Map(rows.map((row) => [documentIdOf(shown, row), row]));
};
