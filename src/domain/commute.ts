import type { OfficeData } from '../schema/vocabulary.ts';
import type { Profile } from './professional.ts';
import type { Coordinates } from './saved-postings.ts';

/** A way along roads: miles, and an ISO 8601 duration. */
export interface RoadRoute {
  readonly roadDistance: number;
  readonly eta: string;
}

const EARTH_RADIUS_MILES = 3_958.8;
/**
 * Road over great-circle distance. Measured networks: 1.20 for the United States as a whole (Ballou, Rahardja and
 * Sakai 2002, "Selected country circuity factors for road travel distance estimation"), 1.34 in its metropolitan areas
 * (Giacomin and Levinson 2015, "Road network circuity in metropolitan areas"). The decisions set 1.3.
 */
const CIRCUITY = 1.3;
const AVERAGE_MPH = 40;

const toRadians = (degrees: number) => (degrees * Math.PI) / 180;
const toHundredths = (miles: number) => Math.round(miles * 100) / 100;

/** Great-circle distance in miles, by the haversine formula (Sinnott 1984, "Virtues of the haversine"). */
export const greatCircleDistance = (from: Coordinates, to: Coordinates): number => {
  const half = (a: number, b: number) => Math.sin(toRadians(b - a) / 2) ** 2;
  const h =
    half(from.latitude, to.latitude) +
    Math.cos(toRadians(from.latitude)) * Math.cos(toRadians(to.latitude)) * half(from.longitude, to.longitude);
  return toHundredths(2 * EARTH_RADIUS_MILES * Math.asin(Math.min(1, Math.sqrt(h))));
};

/** The place of an office's first address, which ways are measured to; undefined where it is not known. */
export const officeCoordinates = ({ address: [first] }: Pick<OfficeData, 'address'>): Coordinates | undefined =>
  first?.latitude && first.longitude
    ? { latitude: Number(first.latitude), longitude: Number(first.longitude) }
    : undefined;

/** Where a professional lives; undefined where it is not known. */
export const professionalCoordinates = ({
  latitude,
  longitude,
}: Pick<Profile, 'latitude' | 'longitude'>): Coordinates | undefined =>
  latitude === null || longitude === null ? undefined : { latitude, longitude };

export interface CommuteEnds {
  readonly from: Coordinates;
  readonly to: Coordinates;
}

const isSamePlace = (a: Coordinates, b: Coordinates): boolean =>
  a.latitude === b.latitude && a.longitude === b.longitude;

/** Whether two ways have the same ends: a professional or an office may have moved since one was measured. */
export const haveSameEnds = (a: CommuteEnds, b: CommuteEnds): boolean =>
  isSamePlace(a.from, b.from) && isSamePlace(a.to, b.to);

/** An ISO 8601 duration of whole minutes: `PT35M`. */
export const isoDurationOfMinutes = (count: number): string => `PT${Math.round(count)}M`;

/** Estimates the way along roads where no router has measured it. */
export const estimateRoadRoute = (greatCircleMiles: number): RoadRoute => {
  const roadDistance = toHundredths(greatCircleMiles * CIRCUITY);
  return { roadDistance, eta: isoDurationOfMinutes((roadDistance / AVERAGE_MPH) * 60) };
};
