import { expect } from 'chai';
import fc from 'fast-check';
import type { ProjectionBuilds, BuildStep } from '../../src/builds/build-schema.ts';
import { droppableBuilds, activeBuild } from '../../src/builds/projection-builds.ts';
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
import { DomainError } from '../../src/errors/domain-error.ts';
import { NOW, hoursLater, asUsual, approved } from '../support/build-records.ts';

describe('the builds of a projection', () => {
  describe('whatever happens to them, in whatever order', () => {
    const steps: readonly BuildStep[] = ['build', 'verify', 'differs', 'stopped', 'ready', 'discarded'];
    type Act = (record: ProjectionBuilds, version: number, now: string) => ProjectionBuilds;
    /** A step of the reconciler, on a build other than the active one. */
    const worked =
      (step: BuildStep, index: number): Act =>
      (record, _version, now) => {
        const build = record.builds.filter(({ id }) => id !== record.active)[index];
        if (!build || build.step === 'ready') return record;
        return step === 'ready' ? activateBuild(record, build.id, now) : setBuildStep(record, build.id, step);
      };
    const acts: fc.Arbitrary<Act> = fc.oneof(
      fc.constantFrom<Act>(
        (record, version, now) => beginRebuild(record, version, asUsual, now),
        (record, version, now) => beginRebuild(record, version, approved, now),
        (record, version, now) => beginRebuild(record, version, { ...asUsual, keepHours: 0 }, now),
        (record, version, now) => beginVerification(record, version, null, now),
        (record, version, now) => rollBack(record, version, undefined, now),
        (record, _version, now) => cancelBuilds(record, now),
        (record, version, now) => beginVersionBuild(record, version, now),
        (record, version, now) => discardExpiredBuilds(record, version, now),
        (record, _version, now) => droppableBuilds(record, now).reduce((all, { id }) => forgetBuild(all, id), record),
        (record) => setBuildStep(record, record.active, 'ready'),
        (record, _version, now) => markPaused(record, 'ada', now),
        markResumed,
      ),
      fc.tuple(fc.constantFrom(...steps), fc.nat(2)).map(([step, index]) => worked(step, index)),
    );
    const moments = fc.array(
      fc.record({ act: acts, hours: fc.integer({ min: 0, max: 30 }), version: fc.integer({ min: 1, max: 3 }) }),
      { maxLength: 40 },
    );

    it('exactly one is active and is there, at most one is next, no id comes twice, and the active one is never dropped', () => {
      fc.assert(
        fc.property(moments, (all) => {
          let record = createProjectionBuilds('lists', 1, NOW);
          const seen = new Set<string>([record.active]);
          let hours = 0;
          for (const { act, hours: later, version } of all) {
            hours += later;
            const now = hoursLater(hours);
            const before = record;
            try {
              record = act(record, version, now);
            } catch (error) {
              if (!(error instanceof DomainError)) throw error;
            }
            const ids = record.builds.map(({ id }) => id);
            expect(ids.filter((id) => id === record.active)).to.have.length(1);
            expect(new Set(ids).size).to.equal(ids.length);
            for (const id of ids)
              if (!before.builds.some((build) => build.id === id)) {
                expect(seen.has(id), `${id} comes for the first time`).to.equal(false);
                seen.add(id);
              }
            expect(activeBuild(record).step).to.not.equal('discarded');
            const open = record.builds.filter(
              ({ id, purpose, step }) =>
                purpose === 'serve' && id !== record.active && step !== 'ready' && step !== 'discarded',
            );
            expect(open.length).to.be.at.most(1);
            const droppables = droppableBuilds(record, hoursLater(hours + 10_000)).map(({ id }) => id);
            expect(droppables).to.not.include(record.active);
          }
        }),
        { numRuns: 500 },
      );
    });
  });
});
