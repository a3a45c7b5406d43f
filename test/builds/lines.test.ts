import { expect } from 'chai';
import { toBuildProgressLine, buildOutcomeOf } from '../../src/builds/progress-lines.ts';
import { findBuild } from '../../src/builds/projection-builds.ts';
import {
  cancelBuilds,
  beginVerification,
  applyVerification,
  forgetBuild,
  createProjectionBuilds,
  setBuildStep,
  activateBuild,
} from '../../src/builds/transitions.ts';
import { differing, NOW, rebuilding, rebuiltOnce, report, served1 } from '../support/build-records.ts';

const same = { ...report, total: 0 };
const checking = beginVerification(served1, 1, null, NOW);

describe('How a build came out', () => {
  it('is not known while it is under way', () => {
    expect(buildOutcomeOf(rebuilding, 'lists@1.2')).to.equal(undefined);
  });

  it('is not known of the first one before it is complete, though it is served', () => {
    const first = createProjectionBuilds('lists', 1, NOW);
    expect(buildOutcomeOf(first, 'lists@1.1')).to.equal(undefined);
    const ready = setBuildStep(first, 'lists@1.1', 'ready');
    expect(buildOutcomeOf(ready, 'lists@1.1')).to.deep.equal({ kind: 'served', report: undefined });
  });

  it('is that it is served, with what was compared if anything was', () => {
    expect(buildOutcomeOf(rebuiltOnce, 'lists@1.2')).to.deep.equal({ kind: 'served', report: undefined });
    const verifying = setBuildStep(rebuilding, 'lists@1.2', 'verify');
    expect(buildOutcomeOf(applyVerification(verifying, 'lists@1.2', same, NOW), 'lists@1.2')).to.deep.equal({
      kind: 'served',
      report: same,
    });
  });

  it('is that it differs', () => {
    expect(buildOutcomeOf(differing, 'lists@1.2')).to.deep.equal({ kind: 'differs', report });
  });

  it('is that it differs, though the active one was verified since', () => {
    const both = setBuildStep(beginVerification(differing, 1, null, NOW), 'lists@1.3', 'verify');
    const verified = applyVerification(both, 'lists@1.3', same, NOW);
    expect(buildOutcomeOf(verified, 'lists@1.2')).to.deep.equal({ kind: 'differs', report });
    expect(buildOutcomeOf(verified, 'lists@1.3')).to.deep.equal({ kind: 'compared', report: same });
  });

  it('is that it stopped, and why', () => {
    const stopped = setBuildStep(rebuilding, 'lists@1.2', 'stopped', { stoppedBy: 'an event' });
    expect(buildOutcomeOf(stopped, 'lists@1.2')).to.deep.equal({ kind: 'stopped', reason: 'an event' });
  });

  it('is that it was compared, also when it is forgotten', () => {
    const over = applyVerification(setBuildStep(checking, 'lists@1.2', 'verify'), 'lists@1.2', report, NOW);
    for (const record of [over, forgetBuild(over, 'lists@1.2')])
      expect(buildOutcomeOf(record, 'lists@1.2')).to.deep.equal({ kind: 'compared', report });
  });

  it('is that it was given up', () => {
    const given = { rebuilding, checking };
    for (const [name, record] of Object.entries(given))
      expect(buildOutcomeOf(cancelBuilds(record, NOW), 'lists@1.2'), name).to.deep.equal({ kind: 'cancelled' });
  });

  it('is that it was given up, though it was compared before', () => {
    expect(buildOutcomeOf(cancelBuilds(differing, NOW), 'lists@1.2')).to.deep.equal({ kind: 'cancelled' });
  });

  it('is not known of one that is kept', () => {
    const back = activateBuild(rebuiltOnce, 'lists@1.1', NOW);
    expect(buildOutcomeOf(back, 'lists@1.2')).to.equal(undefined);
  });
});

describe('A line about a build', () => {
  const lineAt = (progress: { events: number; of: number; perSecond: number }) => {
    const record = setBuildStep(rebuilding, 'lists@1.2', 'build', { progress });
    const build = findBuild(record, 'lists@1.2');
    return build && toBuildProgressLine('lists', build);
  };

  it('says how long it takes at the rate so far', () => {
    expect(lineAt({ events: 40, of: 100, perSecond: 30 })).to.deep.equal({
      projection: 'lists',
      build: 'lists@1.2',
      step: 'build',
      events: 40,
      of: 100,
      perSecond: 30,
      secondsLeft: 2,
    });
  });

  it('does not guess how long before anything is applied', () => {
    expect(lineAt({ events: 0, of: 100, perSecond: 0 })).to.include({ secondsLeft: null });
  });
});
