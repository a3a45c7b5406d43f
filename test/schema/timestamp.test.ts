import { expect } from 'chai';
import fc from 'fast-check';
import { parseTimestamp } from '../../src/schema/timestamp.ts';

describe('A point in time', () => {
  for (const [text, instant] of [
    ['2026-03-10T15:00:00Z', '2026-03-10T15:00:00.000Z'],
    ['2026-03-10t15:00:00z', '2026-03-10T15:00:00.000Z'],
    ['2026-03-10T15:00:00.1239Z', '2026-03-10T15:00:00.123Z'],
    ['2026-03-10T15:00:00.5-06:00', '2026-03-10T21:00:00.500Z'],
    ['2028-02-29T23:30:00-01:00', '2028-03-01T00:30:00.000Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['2016-12-31T18:59:60.75-05:00', '2017-01-01T00:00:00.000Z'],
  ] as const)
    it(`${text} is ${instant}`, () => expect(parseTimestamp(text, 'it')).to.equal(instant));

  it('is the same moment at any offset', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1900-01-01'), max: new Date('2199-12-31'), noInvalidDate: true }),
        fc.integer({ min: -14 * 60, max: 14 * 60 }),
        (moment, offset) => {
          const local = new Date(moment.getTime() + offset * 60_000).toISOString().slice(0, -1);
          const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map((part) =>
            String(part).padStart(2, '0'),
          );
          const text = `${local}${offset < 0 ? '-' : '+'}${hours}:${minutes}`;
          expect(parseTimestamp(text, 'it')).to.equal(moment.toISOString());
        },
      ),
    );
  });
});
