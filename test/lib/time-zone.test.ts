import { expect } from 'chai';
import { isTimeZone } from '../../src/lib/time-zone.ts';

describe('A time zone', () => {
  for (const name of ['UTC', 'America/Denver', 'Asia/Kolkata', 'Asia/Calcutta', 'America/Argentina/Buenos_Aires'])
    it(`is ${name}`, () => {
      expect(isTimeZone(name)).to.equal(true);
    });
  for (const text of ['', 'Denver', 'america/denver', 'America/Nowhere', '+05:30', "UTC'; SELECT 1"])
    it(`is not ${JSON.stringify(text)}`, () => {
      expect(isTimeZone(text)).to.equal(false);
    });
});
