import { expect } from 'chai';
import { usStateNameNear } from '../../../src/history/report/us-states.ts';

describe('The state of a place', () => {
  for (const [name, latitude, longitude] of [
    ['Texas', 30.2672, -97.7431],
    ['Alaska', 61.2181, -149.9003],
    ['Alaska', 52.9, 173.1],
    ['Hawaii', 21.3069, -157.8583],
    ['District of Columbia', 38.9072, -77.0369],
  ] as const)
    it(`is ${name} at ${latitude}, ${longitude}`, () => {
      expect(usStateNameNear({ latitude, longitude })).to.equal(name);
    });

  it('is that of the coast for a place in its waters', () => {
    expect(usStateNameNear({ latitude: 40.6, longitude: -74.05 })).to.be.oneOf(['New York', 'New Jersey']);
    expect(usStateNameNear({ latitude: 25.76, longitude: -80.05 })).to.equal('Florida');
  });

  it('is none on the sea, and in other countries', () => {
    for (const [latitude, longitude] of [
      [35, -60],
      [51.5, -0.1],
      [19.4, -99.1],
    ] as const)
      expect(usStateNameNear({ latitude, longitude })).to.equal(undefined);
  });
});
