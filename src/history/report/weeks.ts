import { scaleBand, scaleLinear } from 'd3-scale';
import { DAY_MS, dayOf, sum } from './durations.ts';
import type { Figures, Week } from './figures.ts';
import { html } from './markup.ts';
import type { Section } from './section.ts';
import { isNarrow, lineBetween, MIDDLE, rectangle, roomForNumber, textAt, type Drawing } from './svg.ts';
import { countOf, countText, dateText, dayOfYearText } from './words.ts';

const WEEK_MS = 7 * DAY_MS;
/** Five years; a clock that once was set wrong must not make a page without end. */
const MAX_WEEKS = 260;

const RIGHT = 4;
const PANEL = 120;
const HEADING = 26;
const AXIS = 26;
const BETWEEN = 22;
/** From so many weeks on, the axis tells the month and year. */
const MONTHS_BEYOND = 75;

/** All weeks from the first to the last, also those in which nothing happened; of too many the last ones. */
export const withEmptyWeeks = (weeks: readonly Week[]): readonly Week[] => {
  const known = new Map(weeks.map((week) => [week.monday, week]));
  const [first, last] = [weeks[0], weeks.at(-1)];
  if (!first || !last) return [];
  const end = Date.parse(last.monday);
  const begin = Math.max(Date.parse(first.monday), end - (MAX_WEEKS - 1) * WEEK_MS);
  return Array.from({ length: (end - begin) / WEEK_MS + 1 }, (_, at) => {
    const monday = dayOf(begin + at * WEEK_MS);
    return known.get(monday) ?? { monday, applications: 0, hires: 0 };
  });
};

const series = [
  { what: 'applications', heading: 'Applications', tone: 'first', top: 0 },
  { what: 'hires', heading: 'Hires', tone: 'second', top: HEADING + PANEL + BETWEEN },
] as const;

const scaleOf = (weeks: readonly Week[], { what, top }: (typeof series)[number]) =>
  scaleLinear(
    [0, Math.max(1, ...weeks.map((week) => week[what]))],
    [top + HEADING + PANEL, top + HEADING],
  ).nice(3);

/** The numbers beside a scale: whole ones alone. */
const ticksOf = (scale: ReturnType<typeof scaleOf>) => scale.ticks(3).filter(Number.isInteger);

const draw = (weeks: readonly Week[], width: number): Drawing => {
  const scales = series.map((each) => ({ ...each, y: scaleOf(weeks, each) }));
  const left = roomForNumber(scales.flatMap(({ y }) => ticksOf(y).map(countText)));
  const right = width - RIGHT;
  const x = scaleBand(
    weeks.map(({ monday }) => monday),
    [left, right],
  ).paddingInner(0.18);

  const panels = scales.map(({ what, heading, tone, top, y }) => [
    textAt('heading', { x: 0, y: top + 13 }, heading),
    ticksOf(y).map((tick) => [
      lineBetween('grid', [left, y(tick)], [right, y(tick)]),
      textAt('tick', { x: left - 8, y: y(tick) + MIDDLE, anchor: 'end' }, countText(tick)),
    ]),
    weeks.map((week) =>
      week[what] === 0
        ? null
        : rectangle(`bar ${tone}`, {
            x: x(week.monday) ?? left,
            y: y(week[what]),
            width: x.bandwidth(),
            height: y(0) - y(week[what]),
          }),
    ),
  ]);

  const bottom = 2 * (HEADING + PANEL) + BETWEEN;
  const every = Math.ceil(weeks.length / (isNarrow(width) ? 4 : 7));
  const mondays = weeks
    .filter((_, index) => index % every === 0)
    .map(({ monday }) => {
      const text =
        weeks.length > MONTHS_BEYOND ? monday.slice(0, 'yyyy-mm'.length) : dayOfYearText(new Date(monday));
      const middle = (x(monday) ?? left) + x.bandwidth() / 2;
      return textAt('tick', { x: middle, y: bottom + 20, anchor: 'middle' }, text);
    });
  return { height: bottom + AXIS, content: html`${panels}${mondays}` };
};

/** How many applications and hires there were in each week. */
export const weeks = ({ weeks: counted }: Figures): Section => {
  const all = withEmptyWeeks(counted);
  const busiest = [...all].sort((a, b) => b.applications - a.applications)[0];
  const sumOf = (what: 'applications' | 'hires') => sum(all.map((week) => week[what]));
  const finding = busiest
    ? `${countOf(sumOf('applications'), 'application')} and ${countOf(sumOf('hires'), 'hire')} ` +
      `in ${countOf(all.length, 'week')}. ` +
      `The week from ${dateText(busiest.monday)} had most applications: ${countText(busiest.applications)}.`
    : 'There was no application and no hire.';
  return {
    id: 'weeks',
    title: 'Applications and hires a week',
    finding,
    picture: busiest ? (width) => draw(all, width) : null,
    legend: [],
    table: {
      caption: 'Applications and hires by week',
      columns: ['Week from', 'Applications', 'Hires'],
      rows: all.map(({ monday, applications, hires }) => [monday, countText(applications), countText(hires)]),
    },
    note:
      'Weeks begin on Monday, in UTC. A hire counts in the week in which it happened, whenever the application was made. ' +
      `At most the last ${MAX_WEEKS} weeks are shown. The two scales differ.`,
  };
};
