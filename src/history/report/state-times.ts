import { scaleLinear } from 'd3-scale';
import { DAY, quantile, sumOf } from './durations.ts';
import type { Figures, StateTimes } from './figures.ts';
import { stepNames } from './funnel.ts';
import { html } from './markup.ts';
import type { Section } from './section.ts';
import { circle, isNarrow, lineBetween, MIDDLE, rectangle, textAt, type Drawing } from './svg.ts';
import { countText, durationText, inWords } from './words.ts';

const WITHIN = [
  { name: '10% within', share: 0.1 },
  { name: '25% within', share: 0.25 },
  { name: '50% within', share: 0.5 },
  { name: '75% within', share: 0.75 },
  { name: '90% within', share: 0.9 },
] as const;

const ROW = 58;
const GUTTER = 90;
const RIGHT = 14;
const BAND = 14;

/** The days within which shares of the stays end; undefined where none is over. */
const spreadOf = ({ hours }: StateTimes) => {
  if (hours.size === 0) return undefined;
  const days = (share: number) => (quantile(hours, share) ?? 0) / DAY;
  return {
    tenth: days(0.1),
    quarter: days(0.25),
    half: days(0.5),
    threeQuarters: days(0.75),
    nineTenths: days(0.9),
  };
};

/** Text beside the edges of the picture stays within it. */
const anchorOf = (x: number, width: number): 'start' | 'middle' | 'end' => {
  if (x < GUTTER + 40) return 'start';
  return x > width - 60 ? 'end' : 'middle';
};

const draw = (states: readonly StateTimes[], width: number): Drawing => {
  const spreads = states.map(spreadOf);
  const most = Math.max(1, ...spreads.map((spread) => spread?.nineTenths ?? 0));
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
  const rows = states.map(({ state }, row) => {
    const spread = spreads[row];
    const y = row * ROW + ROW / 2 + 8;
    const label = textAt('label', { x: GUTTER - 10, y: y + MIDDLE, anchor: 'end' }, stepNames[state]);
    if (!spread) return [label, textAt('value', { x: GUTTER + 6, y: y + MIDDLE }, 'none is over')];
    const { tenth, quarter, half, threeQuarters, nineTenths } = spread;
    const middleHalf = Math.max(2, x(threeQuarters) - x(quarter));
    const anchor = anchorOf(x(half), width);
    return [
      label,
      lineBetween('whisker', [x(tenth), y], [x(nineTenths), y]),
      rectangle('bar first pale', { x: x(quarter), y: y - BAND / 2, width: middleHalf, height: BAND }),
      circle('dot', x(half), y, 5.5),
      textAt('value', { x: x(half), y: y - BAND, anchor }, durationText(Math.round(half * DAY))),
    ];
  });
  const unit = textAt('tick', { x: GUTTER - 10, y: bottom + 18, anchor: 'end' }, 'days');
  return { height: bottom + 26, content: html`${grid}${unit}${rows}` };
};

/** How long applications stay in each state. */
export const stateTimes = ({ states }: Figures): Section => {
  const medians = states
    .filter(({ hours }) => hours.size > 0)
    .map(({ state, hours }) => `${durationText(quantile(hours, 0.5))} as ${stepNames[state].toLowerCase()}`);
  const finding =
    medians.length > 0 ? `Half of the stays end within ${inWords(medians)}.` : 'No stay in a state is over.';
  const isEmpty = states.every(({ hours, lasting }) => hours.size === 0 && lasting === 0);
  return {
    id: 'states',
    title: 'Time in each state',
    finding: isEmpty ? 'No application came into a state.' : finding,
    picture: isEmpty ? null : (width) => draw(states, width),
    legend: [
      { swatch: 'dot', text: 'median' },
      { swatch: 'first pale', text: 'middle half' },
      { swatch: 'line', text: 'all but the fastest and slowest tenth' },
    ],
    table: {
      caption: 'Stays that are over, and how many still last',
      columns: ['Stays', ...states.map(({ state }) => stepNames[state])],
      rows: [
        ['over', ...states.map(({ hours }) => countText(sumOf(hours)))],
        ['lasting', ...states.map(({ lasting }) => countText(lasting))],
        ...WITHIN.map(({ name, share }) => [
          name,
          ...states.map(({ hours }) => durationText(quantile(hours, share))),
        ]),
      ],
    },
    note:
      'A stay ends when the application changes its state or its posting is closed. An application whose interview is ' +
      'called off is applied again. Stays that still last have no duration yet, so the times are lower than they will be.',
  };
};
