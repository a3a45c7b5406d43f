import { scaleBand, scaleLinear } from 'd3-scale';
import { html } from './markup.ts';
import { ask, numberIn, sinceOf, textIn, timeLiteral, type ReportScope, type Source } from './source.ts';
import { isNarrow, lineBetween, MIDDLE, rectangle, roomForNumber, textAt, type Drawing } from './svg.ts';
import { countOf, countText, dateText, dayOfYearText, sum } from './words.ts';

const WEEK_MS = 7 * 86_400_000;
/** Five years; a clock that once was set wrong must not make a page without end. */
const MAX_WEEKS = 260;

const RIGHT = 4;
const PANEL = 120;
const HEADING = 26;
const AXIS = 26;
const BETWEEN = 22;
/** From so many weeks on, the axis tells the month and year. */
const MONTHS_BEYOND = 75;

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 'yyyy-mm-dd'.length);

interface Week {
  /** 2026-03-02 */
  readonly monday: string;
  readonly applications: number;
  readonly hires: number;
  /** Only a part of it is in the span. */
  readonly isUnfinished: boolean;
}

/** The days on which the first and the last week of a span begin, and whether the span has all of these weeks. */
interface Span {
  readonly first: string;
  readonly last: string;
  readonly isFirstWhole: boolean;
  readonly isLastWhole: boolean;
}

/** All weeks of a span, also those in which nothing happened; of too many the last ones. */
export const weeksOf = (
  { first, last, isFirstWhole, isLastWhole }: Span,
  counts: (what: 'applications' | 'hires', monday: string) => number,
): readonly Week[] => {
  const end = Date.parse(last);
  const begin = Math.max(Date.parse(first), end - (MAX_WEEKS - 1) * WEEK_MS);
  return Array.from({ length: Math.max(0, (end - begin) / WEEK_MS + 1) }, (_, at) => {
    const monday = dayOf(begin + at * WEEK_MS);
    return {
      monday,
      applications: counts('applications', monday),
      hires: counts('hires', monday),
      isUnfinished: (monday === first && !isFirstWhole) || (monday === last && !isLastWhole),
    };
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
        : rectangle(`bar ${tone}${week.isUnfinished ? ' hollow' : ''}`, {
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

/** The first and the last week that a report is about, by the place's days. */
const spanStatement = (scope: ReportScope): string => {
  const since = sinceOf(scope);
  const until = scope.to.at ?? scope.to.recordedAt;
  const begin = since === undefined ? '(SELECT min(recorded_at) FROM events)' : timeLiteral(since);
  return [
    "SELECT CAST(date_trunc('week', since) AS DATE) AS first,",
    // Of a span that ends with a week, the next one has no time.
    "  CAST(date_trunc('week', until - INTERVAL 1 millisecond) AS DATE) AS last,",
    `  ${since === undefined ? 'true' : "since = date_trunc('week', since)"} AS first_is_whole,`,
    "  until = date_trunc('week', until) AS last_is_whole",
    `FROM (SELECT ${begin} AS since, ${until === null ? 'last_recorded_at()' : timeLiteral(until)} AS until)`,
  ].join('\n');
};

/** How many applications and hires there were in each week. */
export const weeks: Source<'span' | 'applications' | 'hires'> = {
  statements: (scope) => ({
    span: spanStatement(scope),
    applications: ask(scope, 'applications', { cohort: 'week' }),
    hires: ask(scope, 'hires', { cohort: 'week' }),
  }),
  section(answers, { timeZone = 'UTC' }) {
    const [span] = answers.span;
    const [first, last] = [textIn(span, 'first'), textIn(span, 'last')];
    const counted = {
      applications: new Map(answers.applications.map((row) => [textIn(row, 'week'), numberIn(row, 'rows')])),
      hires: new Map(answers.hires.map((row) => [textIn(row, 'week'), numberIn(row, 'rows')])),
    };
    const all =
      first === '' || last === ''
        ? []
        : weeksOf(
            {
              first,
              last,
              isFirstWhole: span?.['first_is_whole'] === true,
              isLastWhole: span?.['last_is_whole'] === true,
            },
            (what, monday) => counted[what].get(monday) ?? 0,
          );
    const busiest = [...all].sort((a, b) => b.applications - a.applications)[0];
    const sumOf = (what: 'applications' | 'hires') => sum(all.map((week) => week[what]));
    const isSome = sumOf('applications') + sumOf('hires') > 0;
    return {
      id: 'weeks',
      title: 'Applications and hires by calendar week',
      finding:
        busiest && isSome
          ? `${countOf(sumOf('applications'), 'application')} and ${countOf(sumOf('hires'), 'hire')} ` +
            `in ${countOf(all.length, 'week')}. ` +
            `The week from ${dateText(busiest.monday)} had most applications: ${countText(busiest.applications)}.`
          : 'There was no application and no hire.',
      picture: isSome ? (width) => draw(all, width) : null,
      legend: all.some(({ isUnfinished }) => isUnfinished)
        ? [
            { swatch: 'first', text: 'a whole week' },
            { swatch: 'hollow', text: 'a week of which only a part is in the span' },
          ]
        : [],
      table: {
        caption: 'Applications and hires by the week in which they happened',
        columns: ['Week from', 'Applications', 'Hires'],
        rows: all.map(({ monday, applications, hires, isUnfinished }) => [
          isUnfinished ? `${monday} (a part)` : monday,
          countText(applications),
          countText(hires),
        ]),
      },
      note:
        `By the calendar: a hire counts in the week in which it happened, whenever the application was made. Weeks begin on Monday, days are those of ${timeZone}. ` +
        `At most the last ${MAX_WEEKS} weeks are shown. The two scales differ.`,
    };
  },
};
