import { scaleLinear } from 'd3-scale';
import { html } from './markup.ts';
import { numberMember, numberOrNull, type ReportRow } from './report-section.ts';
import { isNarrow, lineBetween, rectangle, textAt, type Drawing, type DrawPicture, type SeriesColor } from './svg.ts';
import { countText, percentOfTotalText, sum } from './words.ts';

/** Edges of classes of different widths; the first class begins at 0, the last one has no end. */
export interface HistogramClasses {
  readonly edges: readonly number[];
  /** One more than there are edges. */
  readonly names: readonly string[];
  /** What the axis is in. */
  readonly unit: string;
}

/** Of days. */
export const dayClasses: HistogramClasses = {
  edges: [1, 2, 3, 5, 7, 14, 28, 56, 112],
  names: [
    'within a day',
    '1 to 2 days',
    '2 to 3 days',
    '3 to 5 days',
    '5 to 7 days',
    '1 to 2 weeks',
    '2 to 4 weeks',
    '4 to 8 weeks',
    '8 to 16 weeks',
    'over 16 weeks',
  ],
  unit: 'days',
};

/**
 * A statement that counts rows by their class, from 0 on; null: a row without the number.
 *
 * @param rows a SELECT
 * @param counts SQL of what is counted, by the names of columns
 */
export const countByClassSql = (
  rows: string,
  value: string,
  { edges }: HistogramClasses,
  counts: readonly string[],
): string =>
  [
    `SELECT CASE WHEN ${value} IS NOT NULL THEN len(list_filter([${edges.join(', ')}], lambda edge: edge <= ${value})) END AS class,`,
    `  ${counts.join(', ')}`,
    `FROM (${rows})`,
    'GROUP BY class ORDER BY class',
  ].join('\n');

/** What rows with a class each say, for each class. */
export const countsByClassOf = (
  rows: readonly ReportRow[],
  name: string,
  { names }: HistogramClasses,
): readonly number[] =>
  names.map((_, at) =>
    numberMember(
      rows.find((row) => numberOrNull(row, 'class') === at),
      name,
    ),
  );

const HEADING = 26;
const PANEL = 150;
const AXIS = 26;
const BETWEEN = 14;
const RIGHT = 14;
const EACH = HEADING + PANEL + AXIS + BETWEEN;
/** So small a share of all is not drawn. */
const NEGLIGIBLE = 0.01;

/** The share of what is counted that lies in a class or a later one that has an end. */
const shareFrom = (at: number, counts: readonly number[]): number => sum(counts.slice(at, -1)) / (sum(counts) || 1);

/** What is counted by classes. */
interface Histogram {
  readonly heading: string;
  readonly tone: SeriesColor;
  /** One for each class. */
  readonly counts: readonly number[];
}

const draw = ({ edges, unit }: HistogramClasses, all: readonly Histogram[], width: number): Drawing => {
  // The axis ends where hardly anything lies beyond it in classes that have an end.
  const rest = (at: number): number => Math.max(...all.map(({ counts }) => shareFrom(at, counts)));
  const shown = rest(0) === 0 ? edges : edges.filter((_, at) => rest(at) > NEGLIGIBLE);
  const last = shown.at(-1) ?? 1;
  const x = scaleLinear([0, last], [2, width - RIGHT]);
  const drawn = all.map(({ heading, tone, counts }, index) => {
    const top = index * EACH + HEADING;
    const bottom = top + PANEL;
    const heights = shown.map((edge, at) => {
      const begin = shown[at - 1] ?? 0;
      return { begin, edge, height: (counts[at] ?? 0) / (edge - begin) };
    });
    const most = Math.max(0, ...heights.map(({ height }) => height)) || 1;
    const y = scaleLinear([0, most], [bottom, top + 4]);
    const bars = heights.map(({ begin, edge, height }) =>
      height === 0
        ? null
        : rectangle(`bar ${tone}`, {
            x: x(begin) + 0.5,
            y: y(height),
            width: Math.max(1, x(edge) - x(begin) - 1),
            height: bottom - y(height),
          }),
    );
    // Edges that stand close together have no room for their numbers.
    const room = isNarrow(width) ? 24 : 22;
    let before = -Infinity;
    const ticks = [0, ...shown].filter((edge) => {
      const isShown = edge === last || (x(edge) - before > room && x(last) - x(edge) > 3 * room);
      if (isShown) before = x(edge);
      return isShown;
    });
    const beyond = sum(counts.slice(shown.length));
    return [
      textAt('heading', { x: 0, y: top - HEADING + 13 }, heading),
      beyond === 0
        ? null
        : textAt(
            'tick',
            { x: width - RIGHT, y: top + 13, anchor: 'end' },
            `over ${last} ${unit}: ${countText(beyond)} (${percentOfTotalText(beyond, sum(counts))})`,
          ),
      bars,
      lineBetween('base', [x(0), bottom], [x(last), bottom]),
      ticks.map((edge) =>
        textAt(
          'tick',
          { x: x(edge), y: bottom + 18, anchor: edge === 0 ? 'start' : edge === last ? 'end' : 'middle' },
          edge === last ? `${edge} ${unit}` : String(edge),
        ),
      ),
    ];
  });
  return { height: all.length * EACH - BETWEEN, content: html`${drawn}` };
};

/**
 * Counts by classes of different widths, one below another: the width of a bar is that of its class, its area the
 * count. A text above the axis counts what lies beyond its end. Null where the first counts nothing.
 */
export const createHistogramDrawer = (
  classes: HistogramClasses,
  all: readonly [Histogram, ...Histogram[]],
): DrawPicture | null => (sum(all[0].counts) === 0 ? null : (width) => draw(classes, all, width));
