import { expect } from 'chai';
import fc from 'fast-check';
import { projections } from '../../projections/index.ts';
import { START, type RecordedEvent } from '../../src/event-store/port.ts';
import { createFold, toFoldable } from '../../src/fold.ts';
import type { Projection } from '../../src/projection.ts';
import { choices, histories, interleave, inTime } from '../history.ts';
import { openMemoryReadModels, type MemoryLog } from '../memory-stores.ts';
import { foldAll, logOf, shownBy } from './folding.ts';

interface Plan {
  /** How much of the log is there when the building begins, in thousandths. */
  readonly there: number;
  /** How many events are folded at once, over and over. */
  readonly size: number;
}

const cases = fc.record({
  history: histories,
  order: choices,
  plan: fc.record({ there: fc.integer({ min: 1, max: 1_000 }), size: fc.integer({ min: 1, max: 30 }) }),
});

const streamByStream = (events: readonly RecordedEvent[]): RecordedEvent[] =>
  [...new Set(events.map(({ stream }) => stream))].flatMap((name) =>
    events.filter(({ stream }) => stream === name),
  );

/** Builds from what is there, stream by stream, then follows the rest of the log; gives what is shown in the end. */
const build = async (projection: Projection, log: MemoryLog, { there, size }: Plan): Promise<string[]> => {
  const readModels = openMemoryReadModels();
  await readModels.prepare(projection);
  const count = Math.ceil((log.events.length * there) / 1_000);
  const { position = START, id = '' } = log.events[count - 1] ?? {};
  const upTo = { position, id };
  const fold = createFold({ readModels, projection, checkpoint: undefined, maxDocuments: size });
  const present = streamByStream(log.events.slice(0, count)).map(toFoldable);
  for (let start = 0; start < present.length; start += size) {
    await fold.build(present.slice(start, start + size), upTo, ({ stream }) => stream);
    await fold.commit();
  }
  fold.built(upTo);
  await fold.commit();
  for (const event of log.events.slice(count)) {
    await fold.add({ events: [toFoldable(event)], position: event.position });
    await fold.commit();
  }
  await fold.settled();
  return shownBy(readModels, projection);
};

describe('A read model that is built stream by stream', () => {
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
