import { expect } from 'chai';
import { verificationBuild, appliedBuilds, replacementBuild, servedBuild } from '../../src/builds/projection-builds.ts';
import {
  beginVerification,
  createProjectionBuilds,
  beginRebuild,
  rollBack,
  setBuildStep,
  activateBuild,
  discardExpiredBuilds,
  beginVersionBuild,
} from '../../src/builds/transitions.ts';
import { NOW, asUsual, hoursLater, told, refusalOf, served1, rebuilding } from '../support/build-records.ts';

describe('the builds of a projection', () => {
  describe('when the code is newer', () => {
    it('have one of its version beside the active one, approved, as it is meant to differ', () => {
      const record = beginVersionBuild(served1, 2, NOW);
      expect(told(record)).to.deep.equal(['lists@1.1 ready', 'lists@2.2 build']);
      expect(replacementBuild(record)).to.include({ isApproved: true, isStrict: false });
      expect(beginVersionBuild(record, 2, NOW)).to.equal(record);
    });

    it('give up what older code had under way', () => {
      expect(told(beginVersionBuild(rebuilding, 2, NOW))).to.deep.equal([
        'lists@1.1 ready',
        'lists@1.2 discarded',
        'lists@2.3 build',
      ]);
      const checking = beginVersionBuild(beginVerification(served1, 1, null, NOW), 2, NOW);
      expect(verificationBuild(checking)).to.equal(undefined);
    });

    it('are not compared with one of another version, which is meant to differ', () => {
      const record = beginVersionBuild(served1, 2, NOW);
      const refusal = 'conflict: lists@1.1 is served, and this code is of version 2 of lists';
      expect(refusalOf(() => beginVerification(record, 2, null, NOW))).to.equal(refusal);
    });

    it('are not rebuilt by older code', () => {
      const record = activateBuild(beginVersionBuild(served1, 2, NOW), 'lists@2.2', NOW);
      const refusal = 'conflict: lists@2.2 is served, and this code is of version 1 of lists';
      expect(refusalOf(() => beginRebuild(record, 1, asUsual, NOW))).to.equal(refusal);
    });

    it('leave the newer one alone when older code starts', () => {
      const record = activateBuild(beginVersionBuild(served1, 2, NOW), 'lists@2.2', NOW);
      expect(beginVersionBuild(record, 1, NOW)).to.equal(record);
    });

    it('are applied and served by each code as far as they are of its version', () => {
      const both = activateBuild(beginVersionBuild(served1, 2, NOW), 'lists@2.2', NOW);
      expect(appliedBuilds(both, 1).map(({ id }) => id)).to.deep.equal(['lists@1.1']);
      expect(appliedBuilds(both, 2).map(({ id }) => id)).to.deep.equal(['lists@2.2']);
      expect(servedBuild(both, 1).id).to.equal('lists@1.1');
      expect(servedBuild(both, 2).id).to.equal('lists@2.2');
      expect(servedBuild(beginVersionBuild(served1, 2, NOW), 2).id).to.equal('lists@1.1');
    });

    it('are served by newer code as they were, though older code has gone back meanwhile', () => {
      const both = activateBuild(beginVersionBuild(served1, 2, NOW), 'lists@2.2', NOW);
      const back = rollBack(both, 1, undefined, NOW);
      expect(back.active).to.equal('lists@1.1');
      expect(servedBuild(back, 2).id).to.equal('lists@2.2');
    });

    it('are kept for as long as code serves them', () => {
      const both = activateBuild(beginVersionBuild(served1, 2, NOW), 'lists@2.2', NOW);
      expect(discardExpiredBuilds(both, 1, hoursLater(24))).to.equal(both);
      expect(told(discardExpiredBuilds(both, 2, hoursLater(24)))).to.deep.equal([
        'lists@2.2 ready',
        'lists@1.1 discarded',
      ]);
    });

    it('are given up where they were never complete', () => {
      const both = activateBuild(beginVersionBuild(createProjectionBuilds('lists', 1, NOW), 2, NOW), 'lists@2.2', NOW);
      expect(told(both)).to.deep.equal(['lists@2.2 ready', 'lists@1.1 discarded']);
      expect(setBuildStep(both, 'lists@1.1', 'ready')).to.equal(both);
    });

    it('are not gone on with by older code', () => {
      const record = beginVersionBuild(served1, 2, NOW);
      const refusal = 'conflict: lists@2.2 is under way, and this code is of version 1; cancel it first';
      expect(refusalOf(() => beginRebuild(record, 1, asUsual, NOW))).to.equal(refusal);
      const checking = beginVerification(activateBuild(record, 'lists@2.2', NOW), 2, null, NOW);
      expect(refusalOf(() => beginVerification(checking, 1, null, NOW))).to.equal(
        'conflict: lists@2.3 is under way, and this code is of version 1; cancel it first',
      );
    });
  });
});
