import { expect } from 'chai';
import fc from 'fast-check';
import { estimateRoadRoute, greatCircleDistance } from '../../src/domain/commute.ts';
import type { Coordinates } from '../../src/domain/saved-postings.ts';

const newYork = { latitude: 40.7128, longitude: -74.006 };
const losAngeles = { latitude: 34.0522, longitude: -118.2437 };

const places = fc.record({
  latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
});

/** The same distance by the spherical law of cosines, which loses digits for near places alone. */
const byCosines = (from: Coordinates, to: Coordinates): number => {
  const [a, b, apart] = [from.latitude, to.latitude, to.longitude - from.longitude].map(
    (degrees) => (degrees * Math.PI) / 180,
  ) as [number, number, number];
  const cosine = Math.sin(a) * Math.sin(b) + Math.cos(a) * Math.cos(b) * Math.cos(apart);
  return 3_958.8 * Math.acos(Math.max(-1, Math.min(1, cosine)));
};

describe('A great-circle distance', () => {
  it('from New York to Los Angeles is 2,446 miles', () => {
    expect(greatCircleDistance(newYork, losAngeles)).to.be.closeTo(2_446, 1);
  });

  it('from the equator to a pole is a quarter of the circumference', () => {
    const pole = { latitude: 90, longitude: 12 };
    expect(greatCircleDistance({ latitude: 0, longitude: -100 }, pole)).to.be.closeTo((3_958.8 * Math.PI) / 2, 0.01);
  });

  it('over the date line is the short way', () => {
    const [west, east] = [
      { latitude: 0, longitude: 179.5 },
      { latitude: 0, longitude: -179.5 },
    ];
    expect(greatCircleDistance(west, east)).to.be.closeTo(69.09, 0.01);
  });

  it('is what the law of cosines says, and the same both ways', () => {
    fc.assert(
      fc.property(places, places, (from, to) => {
        expect(greatCircleDistance(from, to)).to.be.closeTo(byCosines(from, to), 0.5);
        expect(greatCircleDistance(to, from)).to.be.closeTo(greatCircleDistance(from, to), 0.011);
      }),
    );
  });
});

describe('An estimated way along roads', () => {
  it('is 1.3 times as long as the great circle, at 40 miles an hour', () => {
    expect(estimateRoadRoute(100)).to.deep.equal({ roadDistance: 130, eta: 'PT195M' });
    expect(estimateRoadRoute(0)).to.deep.equal({ roadDistance: 0, eta: 'PT0M' });
  });
});
