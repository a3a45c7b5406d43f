import { expect } from 'chai';
import { MAX_RELEASES, type ProjectionBuilds } from '../../src/builds/build-schema.ts';
import { type StreamRelease } from '../../src/projector/release.ts';
import { activeBuild } from '../../src/builds/projection-builds.ts';
import { toParkedStreamOverviews } from '../../src/builds/overview.ts';
import { pendingReleases, requestReleases, type ParkedByBuild } from '../../src/builds/releases.ts';
import type { ParkedStream } from '../../src/read-models/port.ts';
import { parkedAt } from '../support/parked.ts';
import { NOW, rebuilding, refusalOf, served1 } from '../support/build-records.ts';
import { markPaused } from '../../src/builds/transitions.ts';

const among = (parked: Readonly<Record<string, readonly ParkedStream[]>>): ParkedByBuild =>
  new Map(Object.entries(parked).map(([id, streams]) => [id, { parked: streams }]));
const one = among({ 'lists@1.1': [parkedAt('list-a', 3)] });
const releasesOf = (record: ProjectionBuilds): readonly StreamRelease[] => activeBuild(record).releases;
const retried = (record: ProjectionBuilds, times: number): ProjectionBuilds =>
  times === 0 ? record : retried(requestReleases(record, one, 'retry', 'list-a'), times - 1);

describe('A release of a parked stream', () => {
  it('is asked for in every build in which the stream is parked, at the event where it is', () => {
    const parked = among({
      'lists@1.1': [parkedAt('list-a', 3), parkedAt('list-b', 0)],
      'lists@1.2': [parkedAt('list-a', 5)],
    });
    const { builds } = requestReleases(rebuilding, parked, 'skip', 'list-a');
    expect(builds.map(({ id, releases }) => ({ id, releases }))).to.deep.equal([
      {
        id: 'lists@1.1',
        releases: [{ number: 1, stream: 'list-a', revision: 3, event: 'event 3 of list-a', kind: 'skip' }],
      },
      {
        id: 'lists@1.2',
        releases: [{ number: 1, stream: 'list-a', revision: 5, event: 'event 5 of list-a', kind: 'skip' }],
      },
    ]);
  });

  it('is asked for of all streams where none is named, each with a number of its own', () => {
    const parked = among({ 'lists@1.1': [parkedAt('list-a', 3), parkedAt('list-b', 0)] });
    expect(releasesOf(requestReleases(retried(served1, 1), parked, 'retry', undefined))).to.deep.equal([
      { number: 1, stream: 'list-a', revision: 3, event: 'event 3 of list-a', kind: 'retry' },
      { number: 2, stream: 'list-a', revision: 3, event: 'event 3 of list-a', kind: 'retry' },
      { number: 3, stream: 'list-b', revision: 0, event: 'event 0 of list-b', kind: 'retry' },
    ]);
  });

  it('is refused while the projection is paused', () => {
    expect(refusalOf(() => requestReleases(markPaused(served1, 'ada', NOW), one, 'retry', undefined))).to.equal(
      'conflict: lists is paused; resume it first',
    );
  });

  it('is refused where the stream is parked in none of the builds', () => {
    expect(refusalOf(() => requestReleases(served1, one, 'skip', 'list-b'))).to.equal(
      'conflict: The stream list-b is not parked in lists',
    );
    expect(refusalOf(() => requestReleases(served1, among({}), 'retry', undefined))).to.equal(
      'conflict: No stream of lists is parked',
    );
  });

  it('is due until it was tried to its end, and only where the stream is parked at that event', () => {
    const build = activeBuild(retried(served1, 2));
    const due = (...parked: readonly ParkedStream[]) => pendingReleases(build, parked).map(({ number }) => number);
    expect(due(parkedAt('list-a', 3))).to.deep.equal([1, 2]);
    expect(due(parkedAt('list-a', 3, { release: 1 }))).to.deep.equal([2]);
    expect(due(parkedAt('list-a', 3, { release: 2 }))).to.deep.equal([]);
    expect(due(parkedAt('list-a', 4))).to.deep.equal([]);
    // After a restore of the event log another event may stand at that revision.
    expect(due(parkedAt('list-a', 3, { event: 'another' }))).to.deep.equal([]);
    expect(due(parkedAt('list-a', 4, { underWay: 2 }))).to.deep.equal([2]);
    expect(due(parkedAt('list-b', 3))).to.deep.equal([]);
    expect(due()).to.deep.equal([]);
  });

  it('is told of with the stream, as it was asked for last, until it was tried', () => {
    const build = activeBuild(requestReleases(retried(served1, 1), one, 'skip', 'list-a'));
    const told = (release: number) =>
      toParkedStreamOverviews(build, [parkedAt('list-a', 3, { release }), parkedAt('list-b', 3)]).map(
        ({ stream, request }) => `${stream} ${request}`,
      );
    expect(told(0)).to.deep.equal(['list-a skip', 'list-b none']);
    expect(told(1)).to.deep.equal(['list-a skip', 'list-b none']);
    expect(told(2)).to.deep.equal(['list-a none', 'list-b none']);
  });

  it('is forgotten when very many have come after it, and no number comes again', () => {
    const releases = releasesOf(retried(served1, MAX_RELEASES + 5));
    expect(releases).to.have.length(MAX_RELEASES);
    expect([releases[0]?.number, releases.at(-1)?.number]).to.deep.equal([6, MAX_RELEASES + 5]);
  });
});
