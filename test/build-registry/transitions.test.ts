import { expect } from 'chai';
import {
  buildWith,
  checkBuild,
  droppable,
  applied,
  liveBuild,
  nextBuild,
} from '../../src/build-registry/entry.ts';
import {
  cancelled,
  checked,
  dropped,
  firstEntry,
  paused,
  rebuilt,
  resumed,
  rolledBack,
  stepped,
  switched,
  tidied,
  withVersion,
} from '../../src/build-registry/transitions.ts';
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
} from './entries.ts';

describe('the builds of a projection', () => {
  describe('at first', () => {
    it('are one, which is served while it is being built', () => {
      const entry = firstEntry('lists', 3, NOW);
      expect(told(entry)).to.deep.equal(['lists@3.1 build']);
      expect(liveBuild(entry)).to.include({ id: 'lists@3.1', purpose: 'serve', isStrict: false });
    });

    it('cannot be verified before that is complete', () => {
      const entry = firstEntry('lists', 1, NOW);
      const refusal = '409 lists is being built for the first time, as lists@1.1';
      expect(refusalOf(() => checked(entry, 1, null, NOW))).to.equal(refusal);
    });

    it('are gone on with when a rebuild is asked for before that is complete', () => {
      const entry = rebuilt(firstEntry('lists', 1, NOW), 1, { ...asUsual, throttle: 50 }, NOW);
      expect(told(entry)).to.deep.equal(['lists@1.1 build']);
      expect(liveBuild(entry)).to.include({ throttle: 50, isStrict: false });
    });

    it('have another one beside it when newer code asks for a rebuild', () => {
      const entry = rebuilt(firstEntry('lists', 1, NOW), 2, asUsual, NOW);
      expect(told(entry)).to.deep.equal(['lists@1.1 build', 'lists@2.2 build']);
    });
  });

  describe('when one is rebuilt', () => {
    it('have another one beside the live one, with what was asked for', () => {
      const entry = rebuilt(served1, 1, { ...asUsual, throttle: 50, keepHours: 2 }, NOW);
      expect(told(entry)).to.deep.equal(['lists@1.1 ready', 'lists@1.2 build']);
      expect(nextBuild(entry)).to.include({ id: 'lists@1.2', throttle: 50, keepHours: 2, isStrict: true });
    });

    it('go on with the one that is under way when that is asked again', () => {
      const again = rebuilt(rebuilding, 1, { ...asUsual, throttle: 9 }, NOW);
      expect(told(again)).to.deep.equal(told(rebuilding));
      expect(nextBuild(again)?.throttle).to.equal(9);
    });

    it('take one up again that has stopped', () => {
      const stopped = stepped(rebuilding, 'lists@1.2', 'stopped', { stoppedBy: 'an event' });
      const again = rebuilt(stopped, 1, { ...asUsual, isStrict: false }, NOW);
      expect(nextBuild(again)).to.include({
        id: 'lists@1.2',
        step: 'build',
        isStrict: false,
        stoppedBy: null,
      });
    });

    it('wait for a decision where it differs', () => {
      expect(refusalOf(() => rebuilt(differing, 1, asUsual, NOW))).to.equal(
        '409 lists@1.2 differs from what is served; approve it, or cancel it to build it anew',
      );
      expect(nextBuild(rebuilt(differing, 1, approved, NOW))).to.include({
        step: 'verify',
        isApproved: true,
      });
    });
  });

  describe('when one takes the place of another', () => {
    it('keep that one for as long as was asked', () => {
      expect(told(rebuiltOnce)).to.deep.equal(['lists@1.2 ready', 'lists@1.1 ready']);
      expect(buildWith(rebuiltOnce, 'lists@1.1')?.keptUntil).to.equal(hoursLater(24));
      expect(liveBuild(rebuiltOnce)).to.include({ keptUntil: null, isStrict: false });
    });

    it('remember the rate for the next time', () => {
      const progress = { events: 10, of: 10, perSecond: 500 };
      const entry = stepped(rebuilding, 'lists@1.2', 'build', { progress });
      expect(switched(entry, 'lists@1.2', NOW).perSecond).to.equal(500);
    });

    it('stay as they are where that one is live, unknown or discarded', () => {
      expect(switched(served1, 'lists@1.1', NOW)).to.equal(served1);
      expect(switched(served1, 'lists@1.9', NOW)).to.equal(served1);
      const given = cancelled(rebuilding, NOW);
      expect(switched(given, 'lists@1.2', NOW)).to.equal(given);
    });
  });

  describe('when they are rolled back', () => {
    it('serve what was served before, and then again what was served after', () => {
      const back = rolledBack(rebuiltOnce, 1, NOW);
      expect(told(back)).to.deep.equal(['lists@1.1 ready', 'lists@1.2 ready']);
      expect(liveBuild(back).keptUntil).to.equal(null);
      expect(told(rolledBack(back, 1, NOW))).to.deep.equal(told(rebuiltOnce));
    });

    it('refuse where nothing is kept', () => {
      expect(refusalOf(() => rolledBack(served1, 1, NOW))).to.equal('409 No other build of lists is kept');
    });

    it('refuse where what is kept is of another version than the code', () => {
      const newer = switched(withVersion(served1, 2, NOW), 'lists@2.2', NOW);
      expect(refusalOf(() => rolledBack(newer, 2, NOW))).to.equal(
        '409 The builds of lists that are kept are of version 1; start the code of that version',
      );
      expect(rolledBack(newer, 1, NOW).live).to.equal('lists@1.1');
    });
  });

  describe('when the live one is verified', () => {
    it('have one beside it that is only for that, once', () => {
      const entry = checked(served1, 1, 10, NOW);
      expect(checkBuild(entry)).to.include({ id: 'lists@1.2', purpose: 'check', throttle: 10 });
      expect(nextBuild(entry)).to.equal(undefined);
      expect(told(checked(entry, 1, 10, NOW))).to.deep.equal(told(entry));
    });

    it('keep what came out of it', () => {
      const entry = stepped(checked(served1, 1, null, NOW), 'lists@1.2', 'discarded', {
        verification: report,
      });
      expect(entry.verified).to.deep.equal({ build: 'lists@1.2', report });
    });
  });

  describe('when a rebuild is cancelled', () => {
    it('give up what is under way and nothing else', () => {
      expect(told(cancelled(rebuilding, NOW))).to.deep.equal(['lists@1.1 ready', 'lists@1.2 discarded']);
      expect(told(cancelled(differing, NOW))).to.deep.equal(['lists@1.1 ready', 'lists@1.2 discarded']);
    });

    it('ignore what its own work still leads to', () => {
      const given = cancelled(rebuilding, NOW);
      expect(stepped(given, 'lists@1.2', 'verify')).to.equal(given);
    });

    it('refuse where nothing is under way', () => {
      for (const entry of [served1, rebuiltOnce, cancelled(rebuilding, NOW)])
        expect(refusalOf(() => cancelled(entry, NOW))).to.equal('409 No build of lists is under way');
    });
  });

  describe('when time passes', () => {
    it('discard what was kept long enough, drop it a little later, and forget it', () => {
      expect(tidied(rebuiltOnce, 1, hoursLater(23.9))).to.equal(rebuiltOnce);
      const over = tidied(rebuiltOnce, 1, hoursLater(24));
      expect(told(over)).to.deep.equal(['lists@1.2 ready', 'lists@1.1 discarded']);
      expect(droppable(over, hoursLater(24))).to.deep.equal([]);
      expect(droppable(over, hoursLater(24.1)).map(({ id }) => id)).to.deep.equal(['lists@1.1']);
      expect(told(dropped(over, 'lists@1.1'))).to.deep.equal(['lists@1.2 ready']);
    });

    it('never drop the live one', () => {
      expect(dropped(served1, 'lists@1.1')).to.deep.equal(served1);
    });
  });

  describe('when the projection is paused', () => {
    it('are not applied, until it is resumed', () => {
      const entry = paused(rebuilding, 'ada', NOW);
      expect(entry.paused).to.deep.equal({ since: NOW, by: 'ada' });
      expect(applied(entry, 1)).to.deep.equal([]);
      expect(applied(resumed(entry), 1).map(({ id }) => id)).to.deep.equal(['lists@1.1', 'lists@1.2']);
    });

    it('stay so since the first time', () => {
      expect(paused(paused(served1, 'ada', NOW), 'bob', hoursLater(1)).paused?.by).to.equal('ada');
    });
  });
});
