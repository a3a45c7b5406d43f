import fc from 'fast-check';
import { START_POSITION, type RecordedEvent } from '../../src/event-store/port.ts';
import { canonicalJson } from '../../src/schema/json.ts';
import { Applier } from '../../src/projector/applier.ts';
import { toLazilyDecodedEvent } from '../../src/projector/apply-event.ts';
import type { Projection } from '../../src/projector/projection.ts';
import type { ReadModelStore } from '../../src/read-models/port.ts';
import type { PlacedEvent } from '../support/history.ts';
import { memoryLog, openMemoryEventStore, openMemoryReadModels, type MemoryLog } from '../support/memory-stores.ts';

/** The batches in which an event log is applied, and the crashes meanwhile. */
export interface Plan {
  /** The sizes of the batches, repeated. */
  readonly sizes: readonly number[];
  /** The most documents that are stored together. */
  readonly maxDocuments: number;
  /** The crash of each start; without a crash once all are used up. */
  readonly crashes: readonly Crash[];
}
export interface Crash {
  readonly when: 'never' | 'before' | 'after';
  /** Which commit since the start. */
  readonly commit: number;
}

const undisturbed: Plan = { sizes: [1_000], maxDocuments: 1_000, crashes: [] };

export const plans: fc.Arbitrary<Plan> = fc.record({
  sizes: fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 8 }),
  maxDocuments: fc.integer({ min: 1, max: 4 }),
  crashes: fc.array(
    fc.record({
      when: fc.constantFrom('never' as const, 'before' as const, 'after' as const),
      commit: fc.integer({ min: 1, max: 4 }),
    }),
    { maxLength: 25 },
  ),
});

export const logOf = (events: readonly PlacedEvent[]): MemoryLog => {
  const log = memoryLog();
  const recorded = events.map((event, index): RecordedEvent => ({
    ...event,
    position: String(index + 1).padStart(6, '0'),
  }));
  log.events.push(...recorded);
  return log;
};

class Crashed extends Error {}

const crashing = (readModels: ReadModelStore, { when, commit }: Crash): ReadModelStore => {
  let left = commit;
  return {
    ...readModels,
    async commit(...args) {
      const isIt = --left === 0;
      if (isIt && when === 'before') throw new Crashed();
      await readModels.commit(...args);
      if (isIt && when === 'after') throw new Crashed();
    },
  };
};

/** Applies a whole event log, resuming from the checkpoint after each crash. */
export const applyLog = async (
  readModels: ReadModelStore,
  projection: Projection,
  log: MemoryLog,
  { sizes, maxDocuments, crashes }: Plan = undisturbed,
): Promise<void> => {
  const eventStore = openMemoryEventStore(log);
  for (let turn = 0; ; turn++) {
    const checkpoint = await readModels.prepare(projection);
    const batch = await eventStore.readAll(checkpoint?.position ?? START_POSITION, sizes[turn % sizes.length] ?? 1);
    if (batch.length === 0) return;
    try {
      const store = crashing(readModels, crashes[turn] ?? { when: 'never', commit: 0 });
      const applier = new Applier({ readModels: store, projection, checkpoint, maxDocuments });
      await applier.add({
        events: batch.map(toLazilyDecodedEvent),
        position: batch.at(-1)?.position ?? START_POSITION,
      });
      await applier.commit();
      await applier.settled();
    } catch (error) {
      if (!(error instanceof Crashed)) throw error;
    }
  }
};

/** All documents of a projection: a line each, in a fixed order. */
export const shownBy = async (readModels: ReadModelStore, projection: Projection): Promise<string[]> => {
  const lines: string[] = [];
  for (const collection of projection.collections)
    for (const { id, doc } of await readModels.find(collection, { filter: {}, order: [['id', 'ascending']] }))
      lines.push(`${collection.name} ${id} ${canonicalJson(doc)}`);
  return lines.sort();
};

/** Applies a whole event log from nothing; gives what the projection then shows. */
export const documentsAfter = async (projection: Projection, log: MemoryLog, plan?: Plan): Promise<string[]> => {
  const readModels = openMemoryReadModels();
  await applyLog(readModels, projection, log, plan);
  return shownBy(readModels, projection);
};
