import { expect } from 'chai';
import { createLedger } from './ledger.ts';

const STREAM = 'office-a';
const named = (officeName: string) => ({ type: 'OfficeRecorded', data: { officeId: 'a', officeName } });
const write = (officeName: string) => ({ marks: [{ stream: STREAM, type: 'OfficeRecorded', data: { officeName } }] });

describe('The ledger of what was acknowledged', () => {
  const ledger = () => {
    const kept = createLedger();
    kept.acknowledged(write('one'));
    kept.acknowledged(write('two'));
    return kept;
  };

  it('finds nothing wrong with each write once, in its order', () => {
    expect(ledger().faultOf(STREAM, [named('one'), named('two')])).to.equal(undefined);
  });

  for (const [what, found] of [
    ['that is missing', ['one']],
    ['that is there twice', ['one', 'two', 'two']],
    ['out of its order', ['two', 'one']],
    ['that was not acknowledged', ['one', 'two', 'three']],
  ] as const)
    it(`finds a write ${what}`, () => {
      expect(ledger().faultOf(STREAM, found.map(named))).to.match(
        /^office-a must hold OfficeRecorded "one", OfficeRecorded "two", and holds /,
      );
    });

  it('allows a write that was refused in the end to have come through before', () => {
    const kept = ledger();
    kept.refused(write('three'));
    expect(kept.faultOf(STREAM, ['one', 'two'].map(named))).to.equal(undefined);
    expect(kept.faultOf(STREAM, ['one', 'two', 'three'].map(named))).to.equal(undefined);
    expect(kept.faultOf(STREAM, ['one', 'two', 'three', 'three'].map(named))).to.match(/must hold/);
  });
});
