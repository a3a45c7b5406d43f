import { scaleBand, scaleLinear } from 'd3-scale';
import { html } from './markup.ts';
import { toTableContent } from './section-markup.ts';
import {
  createCountColumnFormatter,
  scopedMeasureStatement,
  numberMember,
  scopeStartOf,
  textMember,
  timeLiteral,
  type ReportRow,
  type ReportScope,
  type ReportSection,
} from './report-section.ts';
import { isNarrow, lineBetween, BASELINE_SHIFT, rectangle, roomForNumber, textAt, type Drawing } from './svg.ts';
import { countWithNoun, countText, dateText, dayOfYearText, sum } from './words.ts';

/** Five years; a clock that once was set wrong must not make a page without end. */
const MAX_WEEKS = 260;

const RIGHT = 4;
const PANEL = 120;
const HEADING = 26;
const AXIS = 26;
const BETWEEN = 22;
/** From so many weeks on, the axis tells the month and year. */
const MONTHS_BEYOND = 75;

/** 2026-03-02, a Monday. */
const weekOf = (row: ReportRow): string => textMember(row, 'week');
/** Only a part of it is in the span. */
const isUnfinished = (row: ReportRow): boolean => row['is_unfinished'] === true;

const series = [
  { what: 'applications', heading: 'Applications', tone: 'first', top: 0 },
  { what: 'hires', heading: 'Hires', tone: 'second', top: HEADING + PANEL + BETWEEN },
] as const;

const scaleOf = (weeks: readonly ReportRow[], { what, top }: (typeof series)[number]) =>
  scaleLinear(
    [0, Math.max(1, ...weeks.map((week) => numberMember(week, what)))],
    [top + HEADING + PANEL, top + HEADING],
  ).nice(3);

/** The numbers beside a scale: whole ones alone. */
const ticksOf = (scale: ReturnType<typeof scaleOf>) => scale.ticks(3).filter(Number.isInteger);

const draw = (weeks: readonly ReportRow[], width: number): Drawing => {
  const scales = series.map((each) => ({ ...each, y: scaleOf(weeks, each) }));
  const left = roomForNumber(scales.flatMap(({ y }) => ticksOf(y).map(countText)));
  const right = width - RIGHT;
  const x = scaleBand(weeks.map(weekOf), [left, right]).paddingInner(0.18);

  const panels = scales.map(({ what, heading, tone, top, y }) => [
    textAt('heading', { x: 0, y: top + 13 }, heading),
    ticksOf(y).map((tick) => [
      lineBetween('grid', [left, y(tick)], [right, y(tick)]),
      textAt('tick', { x: left - 8, y: y(tick) + BASELINE_SHIFT, anchor: 'end' }, countText(tick)),
    ]),
    weeks.map((week) => {
      const count = numberMember(week, what);
      return count === 0
        ? null
        : rectangle(`bar ${tone}${isUnfinished(week) ? ' hollow' : ''}`, {
            x: x(weekOf(week)) ?? left,
            y: y(count),
            width: x.bandwidth(),
            height: y(0) - y(count),
          });
    }),
  ]);

  const bottom = 2 * (HEADING + PANEL) + BETWEEN;
  const every = Math.ceil(weeks.length / (isNarrow(width) ? 4 : 7));
  const mondays = weeks
    .filter((_, index) => index % every === 0)
    .map((week) => {
      const monday = weekOf(week);
      const text = weeks.length > MONTHS_BEYOND ? monday.slice(0, 'yyyy-mm'.length) : dayOfYearText(new Date(monday));
      const middle = (x(monday) ?? left) + x.bandwidth() / 2;
      return textAt('tick', { x: middle, y: bottom + 20, anchor: 'middle' }, text);
    });
  return { height: bottom + AXIS, content: html`${panels}${mondays}` };
};

/**
 * All weeks of the span by the place's days, also those in which nothing happened; of too many the last ones. A week is
 * unfinished that begins before the span, or ends after it.
 */
const weeksStatement = (scope: ReportScope): string => {
  const since = scopeStartOf(scope);
  const until = scope.to.at ?? scope.to.recordedAt;
  // What began with the event log has no week before.
  const begin = since === undefined ? "(SELECT date_trunc('week', min(recorded_at)) FROM events)" : timeLiteral(since);
  const end = until === null ? 'last_recorded_at()' : timeLiteral(until);
  const counts = (name: string) =>
    `LEFT JOIN (\n${scopedMeasureStatement(scope, name, { cohort: 'week' })}\n) AS ${name} USING (week)`;
  return `SELECT week, coalesce(applications, 0) AS applications, coalesce(hires, 0) AS hires,
  week < since OR week + INTERVAL 7 DAY > until AS is_unfinished
FROM (
  SELECT since, until, CAST(unnest(generate_series(greatest(first, last - INTERVAL ${MAX_WEEKS - 1} WEEK), last, INTERVAL 7 DAY)) AS DATE) AS week
  FROM (
    -- Of a span that ends with a week, the next one has no time.
    SELECT since, until, date_trunc('week', since) AS first, date_trunc('week', until - INTERVAL 1 MILLISECOND) AS last
    FROM (SELECT ${begin} AS since, ${end} AS until)
  )
)
${counts('applications')}
${counts('hires')}
ORDER BY week`;
};

const sumOf = (weeks: readonly ReportRow[], what: string): number => sum(weeks.map((week) => numberMember(week, what)));

/** How many applications and hires there were in each week. */
export const weeklyApplicationsAndHiresSection: ReportSection<'weeks'> = {
  statements: (scope) => ({ weeks: weeksStatement(scope) }),
  section({ weeks: rows }, { timeZone = 'UTC' }) {
    const [applications, hires] = [sumOf(rows, 'applications'), sumOf(rows, 'hires')];
    const isSome = applications + hires > 0;
    const [busiest] = [...rows].sort((a, b) => numberMember(b, 'applications') - numberMember(a, 'applications'));
    return {
      id: 'weeks',
      title: 'Applications and hires by calendar week',
      finding: isSome
        ? `${countWithNoun(applications, 'application')} and ${countWithNoun(hires, 'hire')} in ${countWithNoun(rows.length, 'week')}. ` +
          `The week from ${dateText(textMember(busiest, 'week'))} had most applications: ${createCountColumnFormatter('applications')(busiest)}.`
        : 'There was no application and no hire.',
      picture: isSome ? (width) => draw(rows, width) : null,
      legend: rows.some(isUnfinished)
        ? [
            { swatch: 'first', text: 'a whole week' },
            { swatch: 'hollow', text: 'a week of which only a part is in the span' },
          ]
        : [],
      table: toTableContent('Applications and hires by the week in which they happened', rows, {
        'Week from': (row) => (isUnfinished(row) ? `${weekOf(row)} (a part)` : weekOf(row)),
        Applications: createCountColumnFormatter('applications'),
        Hires: createCountColumnFormatter('hires'),
      }),
      note:
        `By the calendar: a hire counts in the week in which it happened, whenever the application was made. Weeks begin on Monday, days are those of ${timeZone}. ` +
        `At most the last ${MAX_WEEKS} weeks are shown. The two scales differ.`,
    };
  },
};
