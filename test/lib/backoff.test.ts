import { expect } from 'chai';
import fc from 'fast-check';
import { backoffMs } from '../../src/lib/backoff.ts';

describe('A pause between tries', () => {
  it('doubles with each failure up to the longest, of which it is half at least', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 }), (failures) => {
        const whole = Math.min(1_000, 4 * 2 ** failures);
        expect(backoffMs(failures, 4, 1_000)).to.be.within(whole / 2, whole);
      }),
    );
  });
});
