import { expect } from 'chai';
import { distances } from '../../../src/history/report/distances.ts';
import { map } from '../../../src/history/report/map.ts';
import { weeks } from '../../../src/history/report/weeks.ts';
import { largeFigures } from './large-figures.ts';

describe('What a report says of its pictures', () => {
  it('counts applications and hires of the weeks that are shown', () => {
    const week = (monday: string) => ({ monday, applications: 1, hires: 1 });
    const { finding } = weeks({ ...largeFigures, hires: 2, weeks: [week('1970-01-05'), week('2026-03-16')] });
    expect(finding).to.match(/^1 application and 1 hire in 260 weeks\./);
  });

  it('counts as postings in states those that lie in one', () => {
    const { finding } = map({
      ...largeFigures,
      postings: 11,
      postingPlaces: [
        { count: 3, latitude: 42.36, longitude: -71.059 },
        { count: 1, latitude: 51.5, longitude: -0.1 },
      ],
      postingsWithoutPlace: 7,
      personal: null,
    });
    expect(finding).to.match(/^3 postings in 1 state\./);
  });

  it('gives the share of short ways among those that are known', () => {
    const applications = [3, 0, 0, 1, 0, 0, 0];
    const known = { applications, hires: applications, measured: 1, unknown: 6 };
    const personal = { applicants: [], withoutPlace: 0, distances: known };
    const { finding } = distances({ ...largeFigures, personal });
    expect(finding).to.match(
      /^75% of the applications whose distance is known were for a posting within 20 miles/,
    );
  });
});
