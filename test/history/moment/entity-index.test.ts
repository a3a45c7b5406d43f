import { expect } from 'chai';
import fc from 'fast-check';
import { START_POSITION } from '../../../src/event-store/port.ts';
import { partitionAnswerAt } from '../../../src/history/moment/partition-at.ts';
import { createProjectedEntityIndex } from '../../../src/history/moment/entity-index.ts';
import { noMask } from '../../../src/history/moment/mask.ts';
import { logsWithMoments, logWith, momentAfter, sourceOf, indexOf } from './stage.ts';

describe('Streams found by the projection of them', () => {
  it('give the same rows at any moment, whether the read models are ahead of it or behind', async () => {
    await fc.assert(
      fc.asyncProperty(
        logsWithMoments,
        fc.integer({ min: 0, max: 1_000 }),
        async ({ events, first, readModel, partition }, built) => {
          const applied = events.slice(0, Math.round((events.length * built) / 1_000));
          const index = indexOf(applied);
          const moment = momentAfter(events, first);
          const found = await partitionAnswerAt({ log: logWith(events), index }, readModel, partition, moment, noMask);
          expect(found).to.deep.equal(await partitionAnswerAt(sourceOf(events), readModel, partition, moment, noMask));
        },
      ),
      { numRuns: 100 },
    );
  });

  it('are not looked for where nothing is built', async () => {
    const index = createProjectedEntityIndex(() => Promise.resolve(undefined));
    expect(await index.streamsReferencing({ kind: 'posting', id: 'p1' })).to.deep.equal({
      streams: [],
      upTo: START_POSITION,
    });
  });
});
