import { scaleLinear } from 'd3-scale';
import { valueColumnSql, durationQuantileSql, requireMeasure } from '../warehouse/measures.ts';
import { html } from './markup.ts';
import {
  createDurationColumnFormatter,
  scopedMeasureStatement,
  numberMember,
  numberOrNull,
  textMember,
  type ReportRow,
  type ReportSection,
} from './report-section.ts';
import { circle, isNarrow, lineBetween, BASELINE_SHIFT, rectangle, textAt, type Drawing } from './svg.ts';
import { countText, durationText, joinedInWords } from './words.ts';

const states = [
  ['applied', 'Applied'],
  ['scheduled', 'Invited'],
  ['interviewed', 'Interviewed'],
] as const;

const shares = [10, 25, 50, 75, 90] as const;
const columnOfShare = (share: number): string => `within_${share}`;

const ROW = 58;
const GUTTER = 90;
const RIGHT = 14;
const BAND = 14;
const BEYOND = 1.3;

/** Text beside the edges of the picture stays within it. */
const anchorOf = (x: number, width: number): 'start' | 'middle' | 'end' => {
  if (x < GUTTER + 40) return 'start';
  return x > width - 60 ? 'end' : 'middle';
};

const draw = (stays: readonly (ReportRow | undefined)[], width: number): Drawing => {
  const spreads = stays.map((row) => shares.map((share) => numberOrNull(row, columnOfShare(share))));
  const known = Math.max(1, ...spreads.flat().map((days) => days ?? 0));
  // What has not ended goes on beyond what is known.
  const most = spreads.flat().includes(null) ? known * BEYOND : known;
  const x = scaleLinear([0, most], [GUTTER, width - RIGHT]).nice();
  const bottom = states.length * ROW;
  const ticks = isNarrow(width) ? 4 : 8;
  const daysText = x.tickFormat(ticks);
  const grid = x
    .ticks(ticks)
    .map((tick) => [
      lineBetween('grid', [x(tick), 4], [x(tick), bottom]),
      textAt('tick', { x: x(tick), y: bottom + 18, anchor: 'middle' }, daysText(tick)),
    ]);
  const rows = states.map(([, name], row) => {
    const [tenth = null, quarter = null, half = null, threeQuarters = null, nineTenths = null] = spreads[row] ?? [];
    const y = row * ROW + ROW / 2 + 8;
    const label = textAt('label', { x: GUTTER - 10, y: y + BASELINE_SHIFT, anchor: 'end' }, name);
    if (tenth === null)
      return [label, textAt('value', { x: GUTTER + 6, y: y + BASELINE_SHIFT }, 'fewer than a tenth are over')];
    const until = (days: number | null): number => (days === null ? width - RIGHT : x(days));
    return [
      label,
      lineBetween('whisker', [x(tenth), y], [until(nineTenths), y]),
      quarter === null
        ? null
        : rectangle('bar first pale', {
            x: x(quarter),
            y: y - BAND / 2,
            width: Math.max(2, until(threeQuarters) - x(quarter)),
            height: BAND,
          }),
      half === null
        ? null
        : [
            circle('dot', x(half), y, 5.5),
            textAt('value', { x: x(half), y: y - BAND, anchor: anchorOf(x(half), width) }, durationText(half)),
          ],
    ];
  });
  const unit = textAt('tick', { x: GUTTER - 16, y: bottom + 18, anchor: 'end' }, 'days');
  return { height: bottom + 26, content: html`${grid}${unit}${rows}` };
};

/** How long applications stay in each state, those that are in one still with the others. */
export const timesInStateSection: ReportSection<'stays'> = {
  statements(scope) {
    const { duration, unit } = requireMeasure('time_in_state');
    const spread = shares.flatMap((share) =>
      duration ? valueColumnSql(durationQuantileSql(duration, share / 100), columnOfShare(share), unit) : [],
    );
    return {
      stays: scopedMeasureStatement(scope, 'time_in_state', { by: 'state' }, [...spread, 'count(ended_at) AS ended']),
    };
  },
  section({ stays }) {
    const rows = states.map(([state]) => stays.find((row) => textMember(row, 'state') === state));
    const medians = states.flatMap(([, name], at) => {
      const days = numberOrNull(rows[at], columnOfShare(50));
      return days === null ? [] : [`${durationText(days)} as ${name.toLowerCase()}`];
    });
    return {
      id: 'states',
      title: 'Time in each state',
      finding:
        stays.length === 0
          ? 'No application came into a state.'
          : medians.length > 0
            ? `Half of the stays end within ${joinedInWords(medians)}.`
            : 'Fewer than half of the stays in any state are over.',
      picture: stays.length === 0 ? null : (width) => draw(rows, width),
      legend: [
        { swatch: 'dot', text: 'median' },
        { swatch: 'first pale', text: 'middle half' },
        { swatch: 'line', text: 'all but the fastest and slowest tenth' },
      ],
      table: {
        caption: 'Stays that began in the span, and how long they last',
        columns: ['Stays', ...states.map(([, name]) => name)],
        rows: [
          ['over', ...rows.map((row) => countText(numberMember(row, 'ended')))],
          ['lasting', ...rows.map((row) => countText(numberMember(row, 'rows') - numberMember(row, 'ended')))],
          ...shares.map((share) => [
            `${share}% within`,
            ...rows.map(createDurationColumnFormatter(columnOfShare(share))),
          ]),
        ],
      },
      note:
        'A stay ends when the application changes its state or its posting is closed. An application whose interview is ' +
        'called off is applied again. Stays that last count as long as they do, by Kaplan and Meier; a dash, and a bar to the ' +
        'edge: fewer have ended than that.',
    };
  },
};
