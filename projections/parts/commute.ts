import {
  estimateRoad,
  greatCircle,
  haveSameEnds,
  placeOfOffice,
  placeOfProfessional,
  type Ends,
  type Road,
} from '../../src/domain/commute.ts';
import type { Professional } from './professionals.ts';
import type { Office } from './postings.ts';

export interface Measured extends Road, Ends {}

/** The way from a professional to an office. */
export interface Commute extends Ends {
  readonly distance: number;
  readonly road: Road;
  /** Whether `road` was measured between these places, or estimated. */
  readonly isMeasured: boolean;
}

/** The commute to the office's first address; null where a place is not known (decisions, Where fields come from). */
export const commuteOf = (
  professional: Professional | undefined,
  office: Office | undefined,
  measured: Measured | null,
): Commute | null => {
  const from = professional && placeOfProfessional(professional.profile);
  const to = office && placeOfOffice(office.facts);
  if (!from || !to) return null;
  const distance = greatCircle(from, to);
  if (measured && haveSameEnds(measured, { from, to })) {
    const { roadDistance, eta } = measured;
    return { from, to, distance, road: { roadDistance, eta }, isMeasured: true };
  }
  return { from, to, distance, road: estimateRoad(distance), isMeasured: false };
};
