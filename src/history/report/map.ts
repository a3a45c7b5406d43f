import { geoAlbersUsa, geoPath, type GeoProjection, type GeoStream } from 'd3-geo';
import { scaleSqrt } from 'd3-scale';
import { html, type Markup } from './markup.ts';
import { mergeIntoLargerCells, type MapCell } from './map-cells.ts';
import { requireMeasure } from '../warehouse/measures.ts';
import {
  measureConditions,
  numberMember,
  numberOrNull,
  postingConditions,
  scopeStartOf,
  timeLiteral,
  type ReportRow,
  type ReportScope,
  type ReportSection,
} from './report-section.ts';
import { circle, isNarrow, textAt, type Drawing, type SeriesColor } from './svg.ts';
import { stateBordersGeoJson, usLandGeoJson, usStateNameNear } from './us-states.ts';
import { countWithNoun, countText, joinedInWords, sum } from './words.ts';

export const PERSONAL_DATA_OMITTED_NOTE = html`The report shows this with <code>--personal-data</code> and a
  <code>--reason</code>; the event log then records who asked for it, and why.`;

/** Height of the map for its width. */
const RATIO = 0.62;
/** Degrees; what lies closer together is one circle. */
const CIRCLE = 1;
/** Radius of a circle that stands for few. */
const SMALLEST = 1.5;
const ELSEWHERE = 'Elsewhere';
const NOT_KNOWN = 'Place not known';

/** One map of a picture. */
interface Layer {
  readonly heading: string;
  readonly tone: SeriesColor;
  readonly cells: readonly MapCell[];
}

const HEADING = 24;
const GAP = 16;

const circles = ({ tone, cells }: Layer, projection: GeoProjection, largest: number): Markup => {
  const radius = scaleSqrt([0, Math.max(1, ...cells.map(({ count }) => count))], [0, largest]);
  return html`${cells.map(({ count, latitude, longitude }) => {
    const point = projection([longitude, latitude]);
    if (!point) return null;
    return circle(`disc ${tone}`, point[0], point[1], Math.max(SMALLEST, radius(count)));
  })}`;
};

/** Points closer than a pixel to the one before say nothing. */
const MIN_STEP = 0.8;

const thinned = (stream: GeoStream): GeoStream => {
  let [x, y] = [Infinity, Infinity];
  return {
    point(nextX, nextY) {
      if (Math.hypot(nextX - x, nextY - y) < MIN_STEP) return;
      [x, y] = [nextX, nextY];
      stream.point(x, y);
    },
    lineStart() {
      [x, y] = [Infinity, Infinity];
      stream.lineStart();
    },
    lineEnd: () => stream.lineEnd(),
    polygonStart: () => stream.polygonStart(),
    polygonEnd: () => stream.polygonEnd(),
  };
};

/** Where a map is in its picture. */
interface Place {
  readonly left: number;
  readonly top: number;
  readonly width: number;
}

interface BlankMap {
  readonly projection: GeoProjection;
  readonly landPath: string | null;
  readonly bordersPath: string | null;
}

const blankMapIn = ({ left, top, width }: Place): BlankMap => {
  const corners: [[number, number], [number, number]] = [
    [left, top],
    [left + width, top + width * RATIO],
  ];
  const projection = geoAlbersUsa().fitExtent(corners, usLandGeoJson);
  const path = geoPath({ stream: (stream) => projection.stream(thinned(stream)) }).digits(1);
  return { projection, landPath: path(usLandGeoJson), bordersPath: path(stateBordersGeoJson) };
};

/** Kept, since reports have few places for maps, and one takes long to draw. */
const blankMaps = new Map<string, BlankMap>();

const blankMapAt = (place: Place): BlankMap => {
  const key = `${place.left} ${place.top} ${place.width}`;
  const kept = blankMaps.get(key) ?? blankMapIn(place);
  blankMaps.set(key, kept);
  return kept;
};

const mapOf = (layer: Layer, place: Place): Markup => {
  const { projection, landPath, bordersPath } = blankMapAt(place);
  return html`${textAt('heading', { x: place.left, y: place.top - 8 }, layer.heading)}
    <path class="land" d="${landPath}" />
    <path class="borders" d="${bordersPath}" />
    ${circles(layer, projection, place.width / 36)}`;
};

/** Maps beside each other, or below each other where there is no room. */
const draw = (layers: readonly Layer[], all: number): Drawing => {
  const columns = isNarrow(all) ? 1 : layers.length;
  const width = (all - GAP * (columns - 1)) / columns;
  const height = Math.ceil(HEADING + width * RATIO);
  const maps = layers.map((layer, index) =>
    mapOf(layer, {
      left: (index % columns) * (width + GAP),
      top: HEADING + Math.floor(index / columns) * (height + GAP),
      width,
    }),
  );
  const rows = layers.length / columns;
  return { height: rows * height + (rows - 1) * GAP, content: html`${maps}` };
};

const byState = (cells: readonly MapCell[], withoutPlace: number): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  const add = (name: string, count: number) => counts.set(name, (counts.get(name) ?? 0) + count);
  for (const cell of cells) add(usStateNameNear(cell) ?? ELSEWHERE, cell.count);
  if (withoutPlace > 0) add(NOT_KNOWN, withoutPlace);
  return counts;
};

/** States with most postings first; what is in no state last. */
const inOrder = (postings: ReadonlyMap<string, number>, applicants: ReadonlyMap<string, number>): string[] => {
  const last = [ELSEWHERE, NOT_KNOWN];
  const orderOf = (name: string) => last.indexOf(name);
  return [...new Set([...postings.keys(), ...applicants.keys()])].sort(
    (a, b) =>
      orderOf(a) - orderOf(b) ||
      (postings.get(b) ?? 0) - (postings.get(a) ?? 0) ||
      (applicants.get(b) ?? 0) - (applicants.get(a) ?? 0) ||
      (a < b ? -1 : 1),
  );
};

const layerOf = (what: string, tone: SeriesColor, places: readonly MapCell[]): Layer => {
  const cells = mergeIntoLargerCells(places, CIRCLE);
  return { heading: `${what} (largest circle: ${countText(cells[0]?.count ?? 0)})`, tone, cells };
};

/** About seven miles from north to south: small enough to tell the state. */
const CELLS_OF_A_DEGREE = 10;

/** SQL of the middle of places, whatever their order: a sum of whole numbers is exact. */
const middleOf = (coordinate: string): string =>
  `round(sum(CAST(round(${coordinate} * 1000000) AS BIGINT)) / count(*) / 1000000, 3) AS ${coordinate}`;

const cellsOf = (from: string): string => `SELECT
  count(*) AS "count", ${middleOf('latitude')}, ${middleOf('longitude')}
FROM ${from}
GROUP BY floor(latitude * ${CELLS_OF_A_DEGREE}), floor(longitude * ${CELLS_OF_A_DEGREE})
ORDER BY "count" DESC, latitude DESC, longitude`;

/** The postings that were open in the span. */
const postingsIn = (scope: ReportScope): string => {
  const since = scopeStartOf(scope);
  const conditions = [
    ...(since === undefined ? [] : [`(closed_at IS NULL OR closed_at > ${timeLiteral(since)})`]),
    ...postingConditions(requireMeasure('postings'), scope),
  ];
  return `(SELECT latitude, longitude FROM postings LEFT JOIN offices USING (office_id)
  WHERE ${conditions.length > 0 ? conditions.join(' AND ') : 'true'})`;
};

/** Where professionals live, by the newest facts about them. */
export const HOMES_SQL = `SELECT professionalId AS professional_id, latitude, longitude FROM ProfessionalRecorded
  QUALIFY row_number() OVER (PARTITION BY professionalId ORDER BY seq DESC) = 1`;

/** Those who applied, each once. */
const applicantsIn = (scope: ReportScope): string => {
  const conditions = measureConditions(requireMeasure('applications'), scope);
  return `(SELECT latitude, longitude FROM (
    SELECT DISTINCT professional_id FROM applications WHERE ${conditions.length > 0 ? conditions.join(' AND ') : 'true'}
  ) LEFT JOIN (${HOMES_SQL}) USING (professional_id))`;
};

const placesIn = (rows: readonly ReportRow[]) => {
  const cells = rows.flatMap((row) => {
    const [latitude, longitude] = [numberOrNull(row, 'latitude'), numberOrNull(row, 'longitude')];
    return latitude === null || longitude === null ? [] : [{ latitude, longitude, count: numberMember(row, 'count') }];
  });
  const all = sum(rows.map((row) => numberMember(row, 'count')));
  return { cells, withoutPlace: all - sum(cells.map(({ count }) => count)) };
};

/** Where the offices of postings are and, with personal data, where applicants live. */
export const placesMapSection: ReportSection<'postings' | 'applicants'> = {
  statements: (scope) => ({
    postings: cellsOf(postingsIn(scope)),
    applicants: scope.withPersonalData ? cellsOf(applicantsIn(scope)) : '',
  }),
  section(answers, { withPersonalData }) {
    const postings = placesIn(answers.postings);
    const applicants = placesIn(answers.applicants);
    const ofPostings = byState(postings.cells, postings.withoutPlace);
    const ofApplicants = byState(applicants.cells, applicants.withoutPlace);
    const names = inOrder(ofPostings, ofApplicants);
    const inStates = names.filter((name) => ofPostings.has(name) && name !== ELSEWHERE && name !== NOT_KNOWN);
    const placed = sum(inStates.map((name) => ofPostings.get(name) ?? 0));
    const most = inStates.slice(0, 3).map((name) => `${name} (${countText(ofPostings.get(name) ?? 0)})`);
    const finding = [
      `${countWithNoun(placed, 'posting')} in ${countWithNoun(inStates.length, 'state')}`,
      most.length > 1 ? `, most of them in ${joinedInWords(most)}.` : '.',
      withPersonalData ? '' : ' Where applicants live is personal data, and left out.',
    ].join('');
    const layers: readonly Layer[] = [
      layerOf('Postings', 'first', postings.cells),
      ...(withPersonalData ? [layerOf('Applicants', 'second', applicants.cells)] : []),
    ];
    return {
      id: 'places',
      title: 'Where postings and applicants are',
      finding,
      picture: names.length === 0 ? null : (width) => draw(layers, width),
      table: {
        caption: 'By state',
        columns: ['State', 'Postings', ...(withPersonalData ? ['Applicants'] : [])],
        rows: names.map((name) => [
          name,
          countText(ofPostings.get(name) ?? 0),
          ...(withPersonalData ? [countText(ofApplicants.get(name) ?? 0)] : []),
        ]),
      },
      note: html`Postings that were open in the span. What lies within the same degree is one circle, in the middle of
      its places; its area is the number. Elsewhere is what lies in no state of the USA, nor close to one.
      ${withPersonalData ? 'An applicant counts once, whatever the number of applications.' : PERSONAL_DATA_OMITTED_NOTE}`,
    };
  },
};
