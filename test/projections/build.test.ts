import { expect } from 'chai';
import fc from 'fast-check';
import { projections } from '../../projections/index.ts';
import type { Projection } from '../../src/projector/projection.ts';
import type { ReadModelStore } from '../../src/read-models/port.ts';
import { choices, histories, interleave, inTime } from '../support/history.ts';
import { openMemoryEventStore, openMemoryReadModels, type MemoryLog } from '../support/memory-stores.ts';
import { LONG_MS, newStage } from '../support/projector-stage.ts';
import { documentsAfter, logOf, shownBy } from './applying.ts';

interface Plan {
  /** How much of the event log exists when the build begins, in thousandths. */
  readonly there: number;
  /** The batch size. */
  readonly size: number;
  /** When the first build is stored: at each commit, when so many documents wait, or at the end. */
  readonly maxInserted: number;
  /** Every n-th commit fails. */
  readonly failing: number;
}

const cases = fc.record({
  history: histories,
  order: choices,
  plan: fc.record({
    there: fc.integer({ min: 1, max: 1_000 }),
    size: fc.integer({ min: 1, max: 30 }),
    maxInserted: fc.constantFrom(1, 5, 1_000),
    failing: fc.integer({ min: 2, max: 9 }),
  }),
});

/** Few, since a failure within the first group restarts the build. */
const MAX_FAILURES = 4;

/** A store some of whose commits fail, before or after they are carried out. */
const failing = (readModels: ReadModelStore, every: number): ReadModelStore => {
  let count = 0;
  return {
    ...readModels,
    async commit(...args) {
      count++;
      if (count > MAX_FAILURES * every) return readModels.commit(...args);
      if (count % (2 * every) === 0) throw new Error('not stored');
      await readModels.commit(...args);
      if (count % every === 0) throw new Error('stored');
    },
  };
};

/** Builds the existing events group by group, then applies the others; gives what the projection then shows. */
const build = async (projection: Projection, log: MemoryLog, plan: Plan): Promise<string[]> => {
  const { there, size, maxInserted, failing: every } = plan;
  const stage = newStage();
  const memory = openMemoryReadModels();
  const readModels = { ...failing(memory, every), maxInserted };
  const count = Math.ceil((log.events.length * there) / 1_000);
  const first = { ...log, events: log.events.slice(0, count) };
  for (const part of [first, log]) {
    const eventStore = openMemoryEventStore(part);
    const projector = await stage.start([projection], { eventStore, readModels, batchSize: size });
    const position = await eventStore.head();
    expect(await projector.reached([projection.name], position, LONG_MS)).to.equal(true);
    await projector.stop();
  }
  return shownBy(memory, projection);
};

describe('A read model that is built group by group', () => {
  it("is the same as one that was applied in the log's order", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ history, order, plan }) => {
        const [ordered, interleaved] = [logOf(inTime(history)), logOf(interleave(history, order))];
        for (const projection of projections)
          expect(await build(projection, interleaved, plan), projection.name).to.deep.equal(
            await documentsAfter(projection, ordered),
          );
      }),
      { numRuns: 100 },
    );
  });
});
