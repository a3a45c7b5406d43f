import { expect } from 'chai';
import type { ProjectionBuilds } from '../../src/builds/build-schema.ts';
import { createOverviewReader, shownBuilds, type OverviewOptions } from '../../src/builds/overview.ts';
import { cancelBuilds, beginRebuild } from '../../src/builds/transitions.ts';
import { START_POSITION } from '../../src/event-store/port.ts';
import { checkpointAt } from '../support/checkpoints.ts';
import { parkedAt } from '../support/parked.ts';
import { asUsual, NOW, rebuilding, rebuiltOnce } from '../support/build-records.ts';

const SINCE = '2026-03-01T08:00:00.000Z';

/** The overview of `lists` with this record of the build registry, over an event log of ten events. */
const overviewOf = async (record: ProjectionBuilds, more: Partial<OverviewOptions> = {}) => {
  const [overview] = await createOverviewReader({
    registry: { all: () => Promise.resolve(new Map([[record.name, record]])) },
    projections: [{ name: 'lists', version: 1 }],
    projector: { status: () => [] },
    checkpoints: () => Promise.resolve(new Map([['lists@1.1', checkpointAt('7')]])),
    eventStore: { countAfter: (position) => Promise.resolve(position === START_POSITION ? 10 : 10 - Number(position)) },
    ...more,
  })();
  return overview;
};

describe('The builds that are overview of', () => {
  it('are those that an operator may still want, the active one first', () => {
    const given = cancelBuilds(beginRebuild(rebuiltOnce, 1, asUsual, NOW), NOW);
    expect(shownBuilds(given).map(({ id }) => id)).to.deep.equal(['lists@1.2', 'lists@1.1']);
  });
});

describe('What is overview of a projection', () => {
  it('is where each of its builds stands', async () => {
    const overview = await overviewOf(rebuilding);
    expect(overview).to.include({ name: 'lists', version: 1, live: 'lists@1.1' });
    expect(overview?.builds.map(({ id, position, lagEvents }) => [id, position, lagEvents])).to.deep.equal([
      ['lists@1.1', '7', 3],
      ['lists@1.2', null, 10],
    ]);
  });

  it('is what is parked in each of its builds, without what only the projector needs', async () => {
    const parked = [parkedAt('list-a', 3, { release: 2 })];
    const checkpoints = new Map([['lists@1.2', checkpointAt('5', { parked })]]);
    const overview = await overviewOf(rebuilding, { checkpoints: () => Promise.resolve(checkpoints) });
    const { event: _, release: __, underWay: ___, ...shown } = parkedAt('list-a', 3);
    expect(overview?.builds.map(({ id, quarantined }) => [id, quarantined])).to.deep.equal([
      ['lists@1.1', []],
      ['lists@1.2', [{ ...shown, request: 'none' }]],
    ]);
  });

  it('is who keeps each build, where several processes can', async () => {
    const leases = new Map([
      ['lists@1.1', { holder: 'host:1:id', since: SINCE }],
      // A lease that was given back.
      ['lists@1.2', { holder: null, since: SINCE }],
    ]);
    const overview = await overviewOf(rebuilding, { leases: () => Promise.resolve(leases) });
    expect(overview?.builds.map(({ id, lease }) => [id, lease])).to.deep.equal([
      ['lists@1.1', { holder: 'host:1:id', since: SINCE }],
      ['lists@1.2', null],
    ]);
  });

  it('names no holder of a build where only one process can keep it', async () => {
    expect((await overviewOf(rebuilding))?.builds.map(({ lease }) => lease)).to.deep.equal([null, null]);
  });

  it('is no lag while the log does not answer', async () => {
    const countAfter = () => Promise.reject(new Error('no'));
    const overview = await overviewOf(rebuilding, { eventStore: { countAfter } });
    expect(overview?.builds.map(({ lagEvents }) => lagEvents)).to.deep.equal([null, null]);
  });
});
