import { expect } from 'chai';
import fc from 'fast-check';
import type { Entry, Step } from '../../src/build-registry/build.ts';
import { droppable, liveBuild } from '../../src/build-registry/entry.ts';
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
import { HttpError } from '../../src/errors/http-error.ts';
import { NOW, hoursLater, asUsual, approved } from './entries.ts';

describe('the builds of a projection', () => {
  describe('whatever happens to them, in whatever order', () => {
    const steps: readonly Step[] = ['build', 'verify', 'differs', 'stopped', 'ready', 'discarded'];
    type Act = (entry: Entry, version: number, now: string) => Entry;
    /** A step of the supervisor, on a build other than the active one. */
    const worked =
      (step: Step, index: number): Act =>
      (entry, _version, now) => {
        const build = entry.builds.filter(({ id }) => id !== entry.live)[index];
        if (!build || build.step === 'ready') return entry;
        return step === 'ready' ? switched(entry, build.id, now) : stepped(entry, build.id, step);
      };
    const acts: fc.Arbitrary<Act> = fc.oneof(
      fc.constantFrom<Act>(
        (entry, version, now) => rebuilt(entry, version, asUsual, now),
        (entry, version, now) => rebuilt(entry, version, approved, now),
        (entry, version, now) => rebuilt(entry, version, { ...asUsual, keepHours: 0 }, now),
        (entry, version, now) => checked(entry, version, null, now),
        (entry, version, now) => rolledBack(entry, version, now),
        (entry, _version, now) => cancelled(entry, now),
        (entry, version, now) => withVersion(entry, version, now),
        (entry, version, now) => tidied(entry, version, now),
        (entry, _version, now) => droppable(entry, now).reduce((all, { id }) => dropped(all, id), entry),
        (entry) => stepped(entry, entry.live, 'ready'),
        (entry, _version, now) => paused(entry, 'ada', now),
        resumed,
      ),
      fc.tuple(fc.constantFrom(...steps), fc.nat(2)).map(([step, index]) => worked(step, index)),
    );
    const moments = fc.array(
      fc.record({
        act: acts,
        hours: fc.integer({ min: 0, max: 30 }),
        version: fc.integer({ min: 1, max: 3 }),
      }),
      { maxLength: 40 },
    );

    it('exactly one is live and is there, at most one is next, no id comes twice, and the live one is never dropped', () => {
      fc.assert(
        fc.property(moments, (all) => {
          let entry = firstEntry('lists', 1, NOW);
          const seen = new Set<string>([entry.live]);
          let hours = 0;
          for (const { act, hours: later, version } of all) {
            hours += later;
            const now = hoursLater(hours);
            const before = entry;
            try {
              entry = act(entry, version, now);
            } catch (error) {
              if (!(error instanceof HttpError)) throw error;
            }
            const ids = entry.builds.map(({ id }) => id);
            expect(ids.filter((id) => id === entry.live)).to.have.length(1);
            expect(new Set(ids).size).to.equal(ids.length);
            for (const id of ids)
              if (!before.builds.some((build) => build.id === id)) {
                expect(seen.has(id), `${id} comes for the first time`).to.equal(false);
                seen.add(id);
              }
            expect(liveBuild(entry).step).to.not.equal('discarded');
            const open = entry.builds.filter(
              ({ id, purpose, step }) =>
                purpose === 'serve' && id !== entry.live && step !== 'ready' && step !== 'discarded',
            );
            expect(open.length).to.be.at.most(1);
            const droppables = droppable(entry, hoursLater(hours + 10_000)).map(({ id }) => id);
            expect(droppables).to.not.include(entry.live);
          }
        }),
        { numRuns: 500 },
      );
    });
  });
});
