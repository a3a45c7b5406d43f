import { expect } from 'chai';
import {
  checkBuild,
  checked,
  folded,
  nextBuild,
  rebuilt,
  served,
  switched,
  withVersion,
} from '../../src/builds/transitions.ts';
import { NOW, asUsual, told, refusalOf, served1, rebuilding } from './entries.ts';

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

    it('are folded and served by each code as far as they are of its version', () => {
      const both = switched(withVersion(served1, 2, NOW), 'lists@2.2', NOW);
      expect(folded(both, 1).map(({ id }) => id)).to.deep.equal(['lists@1.1']);
      expect(folded(both, 2).map(({ id }) => id)).to.deep.equal(['lists@2.2']);
      expect(served(both, 1).id).to.equal('lists@1.1');
      expect(served(both, 2).id).to.equal('lists@2.2');
      expect(served(withVersion(served1, 2, NOW), 2).id).to.equal('lists@1.1');
    });
  });
});
