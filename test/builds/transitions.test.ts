import { expect } from 'chai';
import {
  findBuild,
  verificationBuild,
  droppableBuilds,
  appliedBuilds,
  activeBuild,
  replacementBuild,
} from '../../src/builds/projection-builds.ts';
import {
  cancelBuilds,
  beginVerification,
  forgetBuild,
  createProjectionBuilds,
  markPaused,
  beginRebuild,
  markResumed,
  rollBack,
  setBuildStep,
  activateBuild,
  discardExpiredBuilds,
  beginVersionBuild,
} from '../../src/builds/transitions.ts';
import {
  NOW,
  hoursLater,
  asUsual,
  approved,
  report,
  told,
  refusalOf,
  served1,
  rebuilding,
  differing,
  rebuiltOnce,
} from '../support/build-records.ts';

describe('the builds of a projection', () => {
  describe('at first', () => {
    it('are one, which is served while it is being built', () => {
      const record = createProjectionBuilds('lists', 3, NOW);
      expect(told(record)).to.deep.equal(['lists@3.1 build']);
      expect(activeBuild(record)).to.include({ id: 'lists@3.1', purpose: 'serve', isStrict: false });
    });

    it('cannot be verified before that is complete', () => {
      const record = createProjectionBuilds('lists', 1, NOW);
      const refusal = 'conflict: lists is being built for the first time, as lists@1.1';
      expect(refusalOf(() => beginVerification(record, 1, null, NOW))).to.equal(refusal);
    });

    it('are gone on with when a rebuild is asked for before that is complete', () => {
      const record = beginRebuild(createProjectionBuilds('lists', 1, NOW), 1, { ...asUsual, throttle: 50 }, NOW);
      expect(told(record)).to.deep.equal(['lists@1.1 build']);
      expect(activeBuild(record)).to.include({ throttle: 50, isStrict: false });
    });

    it('have another one beside it when newer code asks for a rebuild', () => {
      const record = beginRebuild(createProjectionBuilds('lists', 1, NOW), 2, asUsual, NOW);
      expect(told(record)).to.deep.equal(['lists@1.1 build', 'lists@2.2 build']);
    });
  });

  describe('when one is rebuilt', () => {
    it('have another one beside the active one, with what was asked for', () => {
      const record = beginRebuild(served1, 1, { ...asUsual, throttle: 50, keepHours: 2 }, NOW);
      expect(told(record)).to.deep.equal(['lists@1.1 ready', 'lists@1.2 build']);
      expect(replacementBuild(record)).to.include({ id: 'lists@1.2', throttle: 50, keepHours: 2, isStrict: true });
    });

    it('go on with the one that is under way when that is asked again', () => {
      const again = beginRebuild(rebuilding, 1, { ...asUsual, throttle: 9 }, NOW);
      expect(told(again)).to.deep.equal(told(rebuilding));
      expect(replacementBuild(again)?.throttle).to.equal(9);
    });

    it('take one up again that has stopped', () => {
      const stopped = setBuildStep(rebuilding, 'lists@1.2', 'stopped', { stoppedBy: 'an event' });
      const again = beginRebuild(stopped, 1, { ...asUsual, isStrict: false }, NOW);
      expect(replacementBuild(again)).to.include({ id: 'lists@1.2', step: 'build', isStrict: false, stoppedBy: null });
    });

    it('wait for a decision where it differs', () => {
      expect(refusalOf(() => beginRebuild(differing, 1, asUsual, NOW))).to.equal(
        'conflict: lists@1.2 differs from what is served; approve it, or cancel it to build it anew',
      );
      expect(replacementBuild(beginRebuild(differing, 1, approved, NOW))).to.include({
        step: 'verify',
        isApproved: true,
      });
    });
  });

  describe('when one takes the place of another', () => {
    it('keep that one for as long as was asked', () => {
      expect(told(rebuiltOnce)).to.deep.equal(['lists@1.2 ready', 'lists@1.1 ready']);
      expect(findBuild(rebuiltOnce, 'lists@1.1')?.keptUntil).to.equal(hoursLater(24));
      expect(activeBuild(rebuiltOnce)).to.include({ keptUntil: null, isStrict: false });
    });

    it('stay as they are where that one is active, unknown or discarded', () => {
      expect(activateBuild(served1, 'lists@1.1', NOW)).to.equal(served1);
      expect(activateBuild(served1, 'lists@1.9', NOW)).to.equal(served1);
      const given = cancelBuilds(rebuilding, NOW);
      expect(activateBuild(given, 'lists@1.2', NOW)).to.equal(given);
    });
  });

  describe('when they are rolled back', () => {
    it('serve what was served before, and what was served after only where it is named', () => {
      const back = rollBack(rebuiltOnce, 1, undefined, NOW);
      expect(told(back)).to.deep.equal(['lists@1.1 ready', 'lists@1.2 ready']);
      expect(activeBuild(back).keptUntil).to.equal(null);
      expect(refusalOf(() => rollBack(back, 1, undefined, NOW))).to.equal(
        'conflict: The build that was served before is lists@1.2, which is newer than lists@1.1: to go forward again, name it (--to lists@1.2)',
      );
      expect(told(rollBack(back, 1, 'lists@1.2', NOW))).to.deep.equal(told(rebuiltOnce));
    });

    it('serve what was served before, whatever was rolled back from earlier', () => {
      const back = rollBack(rebuiltOnce, 1, undefined, NOW);
      const again = beginRebuild(back, 1, { ...asUsual, isApproved: true }, NOW);
      const rebuiltTwice = activateBuild(again, 'lists@1.3', NOW);
      expect(rebuiltTwice.active).to.equal('lists@1.3');
      expect(rollBack(rebuiltTwice, 1, undefined, NOW).active).to.equal('lists@1.1');
    });

    it('serve the build that is named, and stay as they are where it is served', () => {
      const back = rollBack(rebuiltOnce, 1, 'lists@1.1', NOW);
      expect(back.active).to.equal('lists@1.1');
      expect(rollBack(back, 1, 'lists@1.1', NOW)).to.equal(back);
    });

    it('refuse to serve a build that is not kept', () => {
      expect(refusalOf(() => rollBack(rebuiltOnce, 1, 'lists@1.9', NOW))).to.equal(
        'conflict: No build lists@1.9 of lists is kept; kept: lists@1.1',
      );
    });

    it('refuse where nothing is kept', () => {
      expect(refusalOf(() => rollBack(served1, 1, undefined, NOW))).to.equal(
        'conflict: No other build of lists is kept',
      );
    });

    it('refuse where what is kept is of another version than the code', () => {
      const newer = activateBuild(beginVersionBuild(served1, 2, NOW), 'lists@2.2', NOW);
      expect(refusalOf(() => rollBack(newer, 2, undefined, NOW))).to.equal(
        'conflict: The builds of lists that are kept are of version 1; start the code of that version',
      );
      expect(rollBack(newer, 1, undefined, NOW).active).to.equal('lists@1.1');
    });
  });

  describe('when the active one is verified', () => {
    it('have one beside it that is only for that, once', () => {
      const record = beginVerification(served1, 1, 10, NOW);
      expect(verificationBuild(record)).to.include({ id: 'lists@1.2', purpose: 'check', throttle: 10 });
      expect(replacementBuild(record)).to.equal(undefined);
      expect(told(beginVerification(record, 1, 10, NOW))).to.deep.equal(told(record));
    });

    it('keep what came out of it', () => {
      const record = setBuildStep(beginVerification(served1, 1, null, NOW), 'lists@1.2', 'discarded', {
        verification: report,
      });
      expect(record.verified).to.deep.equal({ build: 'lists@1.2', report });
    });
  });

  describe('when a rebuild is cancelled', () => {
    it('give up what is under way and nothing else', () => {
      expect(told(cancelBuilds(rebuilding, NOW))).to.deep.equal(['lists@1.1 ready', 'lists@1.2 discarded']);
      expect(told(cancelBuilds(differing, NOW))).to.deep.equal(['lists@1.1 ready', 'lists@1.2 discarded']);
    });

    it('ignore what its own work still leads to', () => {
      const given = cancelBuilds(rebuilding, NOW);
      expect(setBuildStep(given, 'lists@1.2', 'verify')).to.equal(given);
    });

    it('refuse where nothing is under way', () => {
      for (const record of [served1, rebuiltOnce, cancelBuilds(rebuilding, NOW)])
        expect(refusalOf(() => cancelBuilds(record, NOW))).to.equal('conflict: No build of lists is under way');
    });
  });

  describe('when time passes', () => {
    it('discard what was kept long enough, drop it a little later, and forget it', () => {
      expect(discardExpiredBuilds(rebuiltOnce, 1, hoursLater(23.9))).to.equal(rebuiltOnce);
      const over = discardExpiredBuilds(rebuiltOnce, 1, hoursLater(24));
      expect(told(over)).to.deep.equal(['lists@1.2 ready', 'lists@1.1 discarded']);
      expect(droppableBuilds(over, hoursLater(24))).to.deep.equal([]);
      expect(droppableBuilds(over, hoursLater(24.1)).map(({ id }) => id)).to.deep.equal(['lists@1.1']);
      expect(told(forgetBuild(over, 'lists@1.1'))).to.deep.equal(['lists@1.2 ready']);
    });

    it('never drop the active one', () => {
      expect(forgetBuild(served1, 'lists@1.1')).to.deep.equal(served1);
    });
  });

  describe('when the projection is paused', () => {
    it('are not applied, until it is resumed', () => {
      const record = markPaused(rebuilding, 'ada', NOW);
      expect(record.paused).to.deep.equal({ since: NOW, by: 'ada' });
      expect(appliedBuilds(record, 1)).to.deep.equal([]);
      expect(appliedBuilds(markResumed(record), 1).map(({ id }) => id)).to.deep.equal(['lists@1.1', 'lists@1.2']);
    });

    it('stay so since the first time', () => {
      expect(markPaused(markPaused(served1, 'ada', NOW), 'bob', hoursLater(1)).paused?.by).to.equal('ada');
    });
  });
});
