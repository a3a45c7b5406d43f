import { expect } from 'chai';
import { START_POSITION, type Position } from '../../src/event-store/port.ts';
import type { ProjectionStatus } from '../../src/projector/progress.ts';
import { createStatusTracker } from '../../src/projector-threads/status-tracker.ts';

const [early, late, later] = ['000001', '000002', '000003'] as const;

/** A new thread's status: its errors do not include those of earlier threads. */
const told = (lists: Position, people: Position): ProjectionStatus[] =>
  Object.entries({ lists, people }).map(([name, position]) => ({
    name,
    version: 1,
    position,
    errors: 0,
    lastError: undefined,
  }));

describe('What a process knows of its projections', () => {
  const projections = [
    { name: 'lists', version: 1 },
    { name: 'people', version: 1 },
  ];
  const caughtUpAt = (position: Position) => {
    const standing = createStatusTracker(projections);
    standing.heard(told(position, position), true);
    return standing;
  };

  it('is nothing before the thread has told anything', () => {
    const standing = createStatusTracker(projections);
    expect(standing.status()).to.deep.equal(told(START_POSITION, START_POSITION));
    expect(standing.isCaughtUp()).to.equal(false);
  });

  it('is not caught up until the thread says so', () => {
    const standing = createStatusTracker(projections);
    standing.heard(told(late, early), false);
    expect(standing.isCaughtUp()).to.equal(false);
    standing.heard(told(late, late), true);
    expect(standing.isCaughtUp()).to.equal(true);
  });

  describe('when the thread has ended', () => {
    it('says why, of every projection, until another thread tells more', () => {
      const standing = caughtUpAt(late);
      standing.ended('out of memory');
      expect(standing.status().map(({ lastError }) => lastError)).to.deep.equal(Array(2).fill('out of memory'));
      standing.heard(told(late, late), true);
      expect(standing.status().map(({ lastError }) => lastError)).to.deep.equal(Array(2).fill(undefined));
    });

    it('keeps where the projections were', () => {
      const standing = caughtUpAt(late);
      standing.ended('out of memory');
      expect(standing.status().map(({ position }) => position)).to.deep.equal([late, late]);
      expect(standing.isCaughtUp()).to.equal(true);
    });

    it('goes on being caught up with a thread that is behind its own start, but not behind the last one', () => {
      const standing = caughtUpAt(early);
      standing.heard(told(late, late), true);
      standing.ended('out of memory');
      standing.heard(told(later, late), false);
      expect(standing.isCaughtUp()).to.equal(true);
    });

    it('is no longer caught up with a thread that builds a projection anew, until that is where it was', () => {
      const standing = caughtUpAt(early);
      standing.heard(told(late, late), true);
      standing.ended('out of memory');
      standing.heard(told(late, START_POSITION), false);
      expect(standing.isCaughtUp()).to.equal(false);
      standing.heard(told(later, early), false);
      expect(standing.isCaughtUp()).to.equal(false);
      standing.ended('out of memory again');
      standing.heard(told(later, late), false);
      expect(standing.isCaughtUp()).to.equal(true);
    });
  });

  it('counts the failures of all threads', () => {
    const standing = caughtUpAt(early);
    standing.failed('lists');
    standing.ended('out of memory');
    standing.failed('all');
    standing.heard(told(late, late), true);
    expect(standing.status().map(({ name, errors }) => [name, errors])).to.deep.equal([
      ['lists', 2],
      ['people', 1],
    ]);
  });
});
