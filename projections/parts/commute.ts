import {
  estimateRoadRoute,
  greatCircleDistance,
  haveSameEnds,
  officeCoordinates,
  professionalCoordinates,
  type CommuteEnds,
  type RoadRoute,
} from '../../src/domain/commute.ts';
import type { ProfessionalDocument } from './professionals.ts';
import type { OfficeDocument } from './postings.ts';

export interface MeasuredRoadRoute extends RoadRoute, CommuteEnds {}

/** The way from a professional to an office. */
export interface Commute extends CommuteEnds {
  readonly distance: number;
  readonly road: RoadRoute;
  /** Whether `road` was measured between these places, or estimated. */
  readonly isMeasured: boolean;
}

/** The commute to the office's first address; null where a place is not known (decisions, Where fields come from). */
export const commuteOf = (
  professional: ProfessionalDocument | undefined,
  office: OfficeDocument | undefined,
  measured: MeasuredRoadRoute | null,
): Commute | null => {
  const from = professional && professionalCoordinates(professional.profile);
  const to = office && officeCoordinates(office.facts);
  if (!from || !to) return null;
  const distance = greatCircleDistance(from, to);
  if (measured && haveSameEnds(measured, { from, to })) {
    const { roadDistance, eta } = measured;
    return { from, to, distance, road: { roadDistance, eta }, isMeasured: true };
  }
  return { from, to, distance, road: estimateRoadRoute(distance), isMeasured: false };
};
