import { estimateRoad, greatCircle, type Road } from '../../src/domain/commute.ts';
import type { Coordinates } from '../../src/domain/saved-postings.ts';
import type { OfficeFacts } from '../../src/domain/office.ts';
import type { Person } from './people.ts';
import type { Office } from './postings.ts';

/** What a router measured, and between which places. */
export interface Measured extends Road {
  readonly from: Coordinates;
  readonly to: Coordinates;
}

/** The way from a professional to an office. */
export interface Commute {
  readonly from: Coordinates;
  readonly to: Coordinates;
  readonly distance: number;
  readonly road: Road;
  /** Whether `road` was measured between these places, or estimated. */
  readonly isMeasured: boolean;
}

const placeOf = (latitude: number | null, longitude: number | null): Coordinates | null =>
  latitude === null || longitude === null ? null : { latitude, longitude };

const placeOfOffice = ({ address: [first] }: OfficeFacts): Coordinates | null => {
  if (!first?.latitude || !first.longitude) return null;
  return { latitude: Number(first.latitude), longitude: Number(first.longitude) };
};

const isSamePlace = (a: Coordinates, b: Coordinates) =>
  a.latitude === b.latitude && a.longitude === b.longitude;

/** The commute to the office's first address; null where a place is not known (decisions, Where fields come from). */
export const commuteOf = (
  person: Person | undefined,
  office: Office | undefined,
  measured: Measured | null,
): Commute | null => {
  const from = person ? placeOf(person.profile.latitude, person.profile.longitude) : null;
  const to = office ? placeOfOffice(office.facts) : null;
  if (!from || !to) return null;
  const distance = greatCircle(from, to);
  if (measured && isSamePlace(measured.from, from) && isSamePlace(measured.to, to)) {
    const { roadDistance, eta } = measured;
    return { from, to, distance, road: { roadDistance, eta }, isMeasured: true };
  }
  return { from, to, distance, road: estimateRoad(distance), isMeasured: false };
};
