import { expect } from 'chai';
import { createPlanSingleFlight, planRebuild, type RebuildPlan } from '../../src/builds/plan.ts';
import type { Projection } from '../../src/projector/projection.ts';
import { DomainError } from '../../src/errors/domain-error.ts';
import { specialties } from '../../projections/specialties.ts';
import { rejectionOf } from '../support/refusal-of.ts';
import { served1 } from '../support/build-records.ts';

const projection: Projection = specialties;
const log = { head: () => Promise.resolve('9'), countOf: () => Promise.resolve(90) };

describe('The plan of a rebuild', () => {
  it('is how many events it would apply, beside nothing before the first build', async () => {
    expect(await planRebuild(projection, undefined, log)).to.deep.equal({
      projection: 'specialties',
      version: specialties.version,
      live: null,
      events: 90,
      perSecond: null,
      seconds: null,
    });
  });

  it('is how long that takes at the last rate, rounded up, where one is known', async () => {
    const at = async (perSecond: number | null) =>
      (await planRebuild(projection, { ...served1, perSecond }, log)).seconds;
    expect(await Promise.all([at(null), at(0), at(40), at(100)])).to.deep.equal([null, null, 3, 1]);
    expect(await planRebuild(projection, served1, log)).to.include({ live: 'lists@1.1' });
  });

  describe('for a client', () => {
    const plan = { projection: 'lists', version: 1, live: null, events: 90, perSecond: null, seconds: null };

    it('whose events take long to count is a 503 at first, and then what was counted meanwhile', async () => {
      let counts = 0;
      let counted: (plan: RebuildPlan) => void = () => undefined;
      const plans = createPlanSingleFlight(() => {
        counts++;
        return new Promise((resolve) => (counted = resolve));
      }, 5);
      for (const refusal of [await rejectionOf(plans('lists')), await rejectionOf(plans('lists'))])
        expect(refusal).to.be.instanceOf(DomainError).with.property('reason', 'unavailable');
      counted(plan);
      expect(await plans('lists')).to.deep.equal(plan);
      expect(counts).to.equal(1);
      // Who asks later gets a new one.
      await rejectionOf(plans('lists'));
      expect(counts).to.equal(2);
    });

    it('is made anew after one that failed', async () => {
      const makes = [() => Promise.reject(new Error('no answer')), () => Promise.resolve(plan)];
      const plans = createPlanSingleFlight(() => makes.shift()?.() ?? Promise.reject(new Error('none')));
      expect(await rejectionOf(plans('lists'))).to.have.property('message', 'no answer');
      expect(await plans('lists')).to.deep.equal(plan);
    });
  });
});
