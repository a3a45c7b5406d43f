import { estimateRoad, greatCircle, haveSameEnds } from '../../domain/commute.ts';
import type { Coordinates } from '../../domain/saved-postings.ts';
import { beginBins, distanceBins } from './bins.ts';
import type { PersonalFigures } from './figures.ts';
import { beginCells, CELL } from './places.ts';
import type { Application, MeasuredWay } from './posting-story.ts';

/** Miles along roads, as a router measured them between these places, or estimated. */
const milesBetween = (from: Coordinates, to: Coordinates, way: MeasuredWay | undefined) => {
  const isMeasured = way !== undefined && haveSameEnds(way, { from, to });
  return { isMeasured, miles: isMeasured ? way.miles : estimateRoad(greatCircle(from, to)).roadDistance };
};

/**
 * Adds up where applicants live, and how far from the office.
 *
 * @param homes where professionals live; may grow until the first application is added
 */
export const beginPersonal = (homes: ReadonlyMap<string, Coordinates>) => {
  const applicants = new Set<string>();
  const applications = beginBins(distanceBins);
  const hires = beginBins(distanceBins);
  let [measured, unknown] = [0, 0];
  return {
    add(
      { professionalId, hired }: Application,
      office: Coordinates | undefined,
      way: MeasuredWay | undefined,
    ): void {
      applicants.add(professionalId);
      const home = homes.get(professionalId);
      if (!home || !office) {
        unknown++;
        return;
      }
      const { miles, isMeasured } = milesBetween(home, office, way);
      applications.add(miles);
      if (hired) hires.add(miles);
      if (isMeasured) measured++;
    },
    figures(): PersonalFigures {
      const cells = beginCells(CELL);
      let withoutPlace = 0;
      for (const id of applicants) {
        const home = homes.get(id);
        if (home) cells.add(home);
        else withoutPlace++;
      }
      const distances = { applications: applications.counts, hires: hires.counts, measured, unknown };
      return { applicants: cells.all(), withoutPlace, distances };
    },
  };
};
