import { expect } from 'chai';
import { checkBuild, applied, nextBuild, served } from '../../src/build-registry/entry.ts';
import {
  checked,
  firstEntry,
  rebuilt,
  rolledBack,
  stepped,
  switched,
  tidied,
  withVersion,
} from '../../src/build-registry/transitions.ts';
import { NOW, asUsual, hoursLater, told, refusalOf, served1, rebuilding } from '../build-registry/entries.ts';

describe('the builds of a projection', () => {
  describe('when the code is newer', () => {
    it('have one of its version beside the live one, approved, as it is meant to differ', () => {
      const entry = withVersion(served1, 2, NOW);
      expect(told(entry)).to.deep.equal(['lists@1.1 ready', 'lists@2.2 build']);
      expect(nextBuild(entry)).to.include({ isApproved: true, isStrict: false });
      expect(withVersion(entry, 2, NOW)).to.equal(entry);
    });

    it('give up what older code had under way', () => {
      expect(told(withVersion(rebuilding, 2, NOW))).to.deep.equal([
        'lists@1.1 ready',
        'lists@1.2 discarded',
        'lists@2.3 build',
      ]);
      const checking = withVersion(checked(served1, 1, null, NOW), 2, NOW);
      expect(checkBuild(checking)).to.equal(undefined);
    });

    it('are not compared with one of another version, which is meant to differ', () => {
      const entry = withVersion(served1, 2, NOW);
      const refusal = '409 lists@1.1 is served, and this code is of version 2 of lists';
      expect(refusalOf(() => checked(entry, 2, null, NOW))).to.equal(refusal);
    });

    it('are not rebuilt by older code', () => {
      const entry = switched(withVersion(served1, 2, NOW), 'lists@2.2', NOW);
      const refusal = '409 lists@2.2 is served, and this code is of version 1 of lists';
      expect(refusalOf(() => rebuilt(entry, 1, asUsual, NOW))).to.equal(refusal);
    });

    it('leave the newer one alone when older code starts', () => {
      const entry = switched(withVersion(served1, 2, NOW), 'lists@2.2', NOW);
      expect(withVersion(entry, 1, NOW)).to.equal(entry);
    });

    it('are applied and served by each code as far as they are of its version', () => {
      const both = switched(withVersion(served1, 2, NOW), 'lists@2.2', NOW);
      expect(applied(both, 1).map(({ id }) => id)).to.deep.equal(['lists@1.1']);
      expect(applied(both, 2).map(({ id }) => id)).to.deep.equal(['lists@2.2']);
      expect(served(both, 1).id).to.equal('lists@1.1');
      expect(served(both, 2).id).to.equal('lists@2.2');
      expect(served(withVersion(served1, 2, NOW), 2).id).to.equal('lists@1.1');
    });

    it('are served by newer code as they were, though older code has gone back meanwhile', () => {
      const both = switched(withVersion(served1, 2, NOW), 'lists@2.2', NOW);
      const back = rolledBack(both, 1, NOW);
      expect(back.live).to.equal('lists@1.1');
      expect(served(back, 2).id).to.equal('lists@2.2');
    });

    it('are kept for as long as code serves them', () => {
      const both = switched(withVersion(served1, 2, NOW), 'lists@2.2', NOW);
      expect(tidied(both, 1, hoursLater(24))).to.equal(both);
      expect(told(tidied(both, 2, hoursLater(24)))).to.deep.equal(['lists@2.2 ready', 'lists@1.1 discarded']);
    });

    it('are given up where they were never complete', () => {
      const both = switched(withVersion(firstEntry('lists', 1, NOW), 2, NOW), 'lists@2.2', NOW);
      expect(told(both)).to.deep.equal(['lists@2.2 ready', 'lists@1.1 discarded']);
      expect(stepped(both, 'lists@1.1', 'ready')).to.equal(both);
    });

    it('are not gone on with by older code', () => {
      const entry = withVersion(served1, 2, NOW);
      const refusal = '409 lists@2.2 is under way, and this code is of version 1; cancel it first';
      expect(refusalOf(() => rebuilt(entry, 1, asUsual, NOW))).to.equal(refusal);
      const checking = checked(switched(entry, 'lists@2.2', NOW), 2, null, NOW);
      expect(refusalOf(() => checked(checking, 1, null, NOW))).to.equal(
        '409 lists@2.3 is under way, and this code is of version 1; cancel it first',
      );
    });
  });
});
