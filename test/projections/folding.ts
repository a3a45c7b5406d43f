import fc from 'fast-check';
import { START, type RecordedEvent } from '../../src/event-store/port.ts';
import { canonicalJson } from '../../src/json.ts';
import { createFold, toFoldable } from '../../src/fold.ts';
import type { Projection } from '../../src/projection.ts';
import type { Checkpoint, ReadModelStore } from '../../src/read-models/port.ts';
import type { PlacedEvent } from '../history.ts';
import { memoryLog, openMemoryEventStore, openMemoryReadModels, type MemoryLog } from '../memory-stores.ts';

/** How the folding of a log is cut up, and what befalls it. */
export interface Plan {
  /** The sizes of the batches, over and over. */
  readonly sizes: readonly number[];
  /** What happens at each commit; after the last of them all goes well. */
  readonly crashes: readonly Crash[];
}
export interface Crash {
  /** Within: some of the documents were stored, and the checkpoint was not. */
  readonly when: 'never' | 'before' | 'within' | 'after';
  readonly documents: number;
}

const undisturbed: Plan = { sizes: [1_000], crashes: [] };

export const plans: fc.Arbitrary<Plan> = fc.record({
  sizes: fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 8 }),
  crashes: fc.array(
    fc.record({
      when: fc.constantFrom('never' as const, 'before' as const, 'within' as const, 'after' as const),
      documents: fc.integer({ min: 0, max: 10 }),
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

/** A store whose next commit crashes as told. */
const crashing = (
  readModels: ReadModelStore,
  { when, documents }: Crash,
  started: Checkpoint | undefined,
): ReadModelStore => ({
  ...readModels,
  async commit(projection, writes, checkpoint) {
    if (when === 'within') await readModels.commit(projection, writes.slice(0, documents), started);
    if (when === 'after' || when === 'never') await readModels.commit(projection, writes, checkpoint);
    if (when !== 'never') throw new Crashed();
  },
});

/** Folds a whole log, starting again from the checkpoint after each crash. */
export const foldOver = async (
  readModels: ReadModelStore,
  projection: Projection,
  log: MemoryLog,
  { sizes, crashes }: Plan = undisturbed,
): Promise<void> => {
  const eventStore = openMemoryEventStore(log);
  for (let turn = 0; ; turn++) {
    const checkpoint = await readModels.prepare(projection);
    const batch = await eventStore.readAll(checkpoint?.position ?? START, sizes[turn % sizes.length] ?? 1);
    if (batch.length === 0) return;
    try {
      const store = crashing(readModels, crashes[turn] ?? { when: 'never', documents: 0 }, checkpoint);
      const fold = createFold(store, projection, {
        position: checkpoint?.position ?? START,
        isEmpty: checkpoint === undefined,
      });
      await fold.add(batch.map(toFoldable), batch.at(-1)?.position ?? START);
      await fold.commit(log.events[0]?.id ?? '');
    } catch (error) {
      if (!(error instanceof Crashed)) throw error;
    }
  }
};

/** All documents of a projection without their positions: a line each, in a fixed order. */
export const shownBy = async (readModels: ReadModelStore, projection: Projection): Promise<string[]> => {
  const lines: string[] = [];
  for (const collection of projection.collections)
    for (const { id, doc } of await readModels.find(collection, { filter: {}, order: [['id', 'ascending']] }))
      lines.push(`${collection.name} ${id} ${canonicalJson(doc)}`);
  return lines.sort();
};

/** Folds a whole log from nothing; gives what the projection shows in the end. */
export const foldAll = async (projection: Projection, log: MemoryLog, plan?: Plan): Promise<string[]> => {
  const readModels = openMemoryReadModels();
  await foldOver(readModels, projection, log, plan);
  return shownBy(readModels, projection);
};
