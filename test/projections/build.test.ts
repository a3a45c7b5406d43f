import { expect } from 'chai';
import fc from 'fast-check';
import { projections } from '../../projections/index.ts';
import { eventsIn } from '../../src/projector/events-in.ts';
import { START } from '../../src/event-store/port.ts';
import { createFold, toFoldable } from '../../src/fold.ts';
import { typesFolded, type Projection } from '../../src/projection.ts';
import { choices, histories, interleave, inTime } from '../history.ts';
import { openMemoryEventStore, openMemoryReadModels, type MemoryLog } from '../memory-stores.ts';
import { foldAll, logOf, shownBy } from './folding.ts';

interface Plan {
  /** How much of the log is there when the building begins, in thousandths. */
  readonly there: number;
  /** How many events are folded at once, over and over. */
  readonly size: number;
  /** Whether each batch begins with what is stored. */
  readonly isInterrupted: boolean;
}

const cases = fc.record({
  history: histories,
  order: choices,
  plan: fc.record({
    there: fc.integer({ min: 1, max: 1_000 }),
    size: fc.integer({ min: 1, max: 30 }),
    isInterrupted: fc.boolean(),
  }),
});

/**
 * Builds group by group what is there, with a fold of its own for each batch, as after an interruption, where that is
 * asked; then follows the rest of the log. Gives what is shown in the end.
 */
const build = async (projection: Projection, log: MemoryLog, plan: Plan): Promise<string[]> => {
  const { there, size, isInterrupted } = plan;
  const readModels = openMemoryReadModels();
  const begin = async () =>
    createFold({
      readModels,
      projection,
      checkpoint: await readModels.prepare(projection),
      maxDocuments: size,
    });
  let fold = await begin();
  const count = Math.ceil((log.events.length * there) / 1_000);
  const { position = START, id = '' } = log.events[count - 1] ?? {};
  const read = { by: 'professionalId', types: typesFolded([projection]), upTo: position, batchSize: size };
  const { signal } = new AbortController();
  for await (const batch of openMemoryEventStore(log).readGroups(read, signal)) {
    await fold.build(
      eventsIn(batch).map((events) => events.map(toFoldable)),
      batch.ended,
      { position, id },
    );
    if (batch.ended === undefined || !isInterrupted) continue;
    await fold.commit();
    await fold.settled();
    fold = await begin();
  }
  fold.built({ position, id });
  await fold.commit();
  for (const event of log.events.slice(count)) {
    await fold.add({ events: [toFoldable(event)], position: event.position });
    await fold.commit();
  }
  await fold.settled();
  return shownBy(readModels, projection);
};

describe('A read model that is built group by group', () => {
  for (const projection of projections)
    it(`is the same as one that was folded in the log's order: ${projection.name}`, async () => {
      await fc.assert(
        fc.asyncProperty(cases, async ({ history, order, plan }) => {
          const log = logOf(interleave(history, order));
          expect(await build(projection, log, plan)).to.deep.equal(
            await foldAll(projection, logOf(inTime(history))),
          );
        }),
        { numRuns: 100 },
      );
    });
});
