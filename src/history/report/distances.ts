import { requireMeasure } from '../warehouse/measures.ts';
import { countByClassSql, countsByClassOf, createHistogramDrawer, type HistogramClasses } from './histogram.ts';
import { HOMES_SQL, PERSONAL_DATA_OMITTED_NOTE } from './map.ts';
import { toTableContent } from './section-markup.ts';
import { measureConditions, numberMember, type ReportScope, type ReportSection } from './report-section.ts';
import { countText, percentOfTotalText, sum } from './words.ts';

const HEAD = { id: 'distances', title: 'How far people travel' } as const;

/** Of miles along roads. */
const classes: HistogramClasses = {
  edges: [5, 10, 20, 30, 50, 100],
  names: ['under 5 mi', '5 to 10 mi', '10 to 20 mi', '20 to 30 mi', '30 to 50 mi', '50 to 100 mi', 'over 100 mi'],
  unit: 'miles',
};
/** Classes below it are near. */
const NEAR = 20;

/** A member of JSON that is a number. */
const within = (column: string, member: string): string => `CAST(("${column}"->>'${member}') AS DOUBLE)`;

/**
 * Miles along roads: as a router measured them between these places, or estimated as `src/domain/commute.ts` does, by
 * the haversine of the great circle.
 */
const milesOf = (scope: ReportScope): string => {
  const conditions = measureConditions(requireMeasure('applications'), scope);
  const rows = `WITH homes AS (${HOMES_SQL}),
ways AS (
  SELECT professionalId AS professional_id, postingId AS posting_id, "from", "to", roadDistance FROM CommuteMeasured
  QUALIFY row_number() OVER (PARTITION BY professionalId, postingId ORDER BY seq DESC) = 1
),
ends AS (
  SELECT hired_at, homes.latitude AS home_latitude, homes.longitude AS home_longitude,
    offices.latitude, offices.longitude, roadDistance,
    coalesce(${within('from', 'latitude')} = homes.latitude AND ${within('from', 'longitude')} = homes.longitude
      AND ${within('to', 'latitude')} = offices.latitude AND ${within('to', 'longitude')} = offices.longitude, false) AS is_measured
  FROM applications LEFT JOIN offices USING (office_id) LEFT JOIN homes USING (professional_id)
  LEFT JOIN ways USING (professional_id, posting_id)
  ${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''}
)
SELECT hired_at, is_measured, CASE WHEN is_measured THEN roadDistance
  -- The least of null and 1 would be 1.
  WHEN home_latitude IS NOT NULL AND home_longitude IS NOT NULL AND latitude IS NOT NULL AND longitude IS NOT NULL THEN round(1.3 * round(2 * 3958.8 * asin(least(1, sqrt(
  sin(radians(latitude - home_latitude) / 2) ** 2
  + cos(radians(home_latitude)) * cos(radians(latitude)) * sin(radians(longitude - home_longitude) / 2) ** 2))), 2), 2) END AS miles
FROM ends`;
  return countByClassSql(rows, 'miles', classes, [
    'count(*) AS applications',
    'count(hired_at) AS hires',
    'count(*) FILTER (is_measured) AS measured',
  ]);
};

/** How far applicants live from the office: personal. */
export const travelDistancesSection: ReportSection<'miles'> = {
  statements: (scope) => ({ miles: scope.withPersonalData ? milesOf(scope) : '' }),
  section({ miles }, { withPersonalData }) {
    if (!withPersonalData)
      return {
        ...HEAD,
        finding: 'Distances from where professionals live are personal data, and left out.',
        picture: null,
        note: PERSONAL_DATA_OMITTED_NOTE,
      };
    const applications = countsByClassOf(miles, 'applications', classes);
    const hires = countsByClassOf(miles, 'hires', classes);
    const known = sum(applications);
    const near = sum(applications.slice(0, classes.edges.indexOf(NEAR) + 1));
    const unknown = sum(miles.map((row) => numberMember(row, 'applications'))) - known;
    const measured = sum(miles.map((row) => numberMember(row, 'measured')));
    return {
      ...HEAD,
      finding:
        known === 0
          ? 'No distance is known.'
          : `${percentOfTotalText(near, known)} of the applications whose distance is known were for a posting within ${NEAR} miles by road. ` +
            `${countText(measured)} of ${countText(known)} distances were measured, the others estimated.`,
      picture: createHistogramDrawer(classes, [
        { heading: 'Applications a mile', tone: 'first', counts: applications },
        { heading: 'Hires a mile', tone: 'second', counts: hires },
      ]),
      table: toTableContent(
        'Applications by the distance to the office, and those of them that led to a hire',
        [
          ...classes.names.map((name, at) => [name, applications[at] ?? 0, hires[at] ?? 0] as const),
          ['not known', unknown, null] as const,
        ],
        {
          Distance: ([name]) => name,
          Applications: ([, count]) => countText(count),
          Hires: ([, , count]) => (count === null ? '–' : countText(count)),
        },
      ),
      note:
        'Miles along roads from where the professional lives now to the first address of the office: measured by the road ' +
        'router for saved postings, else 1.3 times the great-circle distance. Classes differ in width: the area of a bar is its ' +
        'count; the two scales differ.',
    };
  },
};
