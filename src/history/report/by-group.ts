import { valueColumnSql, daysWithinSql, measureColumnSql, measureNamed } from '../warehouse/measures.ts';
import { barChart, type BarColumn } from './bar-chart.ts';
import { toNumberTable } from './section-markup.ts';
import {
  createCountFormatter,
  createDurationFormatter,
  scopedMeasureStatement,
  numberIn,
  numberOrNull,
  createShareFormatter,
  textIn,
  type ReportRow,
  type ReportSection,
} from './report-section.ts';
import { countWithNoun, countText, durationText, monthText, fractionText, sum } from './words.ts';

/** Sections of a row for each month or profession. */

/** Months that are shown, at most: the last ones. */
const MAX_MONTHS = 24;
/** Professions that are shown, at most: those with most rows. */
const MAX_GROUPS = 20;
/** A cohort of which a larger share is open may change. */
const OPEN = 0.1;

const monthOf = (row: ReportRow): string => monthText(textIn(row, 'month'));
const professionOf = (row: ReportRow): string => textIn(row, 'profession') || 'not known';

const largest = (rows: readonly ReportRow[]): readonly ReportRow[] =>
  [...rows].sort((a, b) => numberIn(b, 'rows') - numberIn(a, 'rows')).slice(0, MAX_GROUPS);

const shareBars = (heading: string, tone: 'first' | 'second', name: string): BarColumn<ReportRow> => ({
  heading,
  tone,
  value: (row) => numberOrNull(row, name),
  text: createShareFormatter(name),
});

const daysOf = (row: ReportRow): number | null => numberOrNull(row, 'time_to_hire');
const hireBars: readonly BarColumn<ReportRow>[] = [
  { heading: 'Days', value: daysOf, text: (row) => daysOf(row)?.toFixed(1) ?? '–' },
  shareBars('Hired', 'second', 'hired'),
];

/** How long a hire takes, and how many there are, in columns of a statement about all applications. */
const hireColumns = (): readonly string[] => {
  const { name, duration, where, unit } = measureNamed('time_to_hire');
  return [
    'count(hired_at) AS hires',
    "count(*) FILTER (outcome = 'open') AS open",
    ...(duration ? [valueColumnSql(daysWithinSql(duration, 0.5, where), name, unit)] : []),
  ];
};

const HIRE_NOTE =
  'Half within: half of those who were hired, from the application on; it grows while applications are open.';

/** How long it takes until somebody is hired, by the month of the application. */
export const hireTimesByCohortSection: ReportSection<'all' | 'months'> = {
  statements: (scope) => ({
    all: scopedMeasureStatement(scope, 'hired', {}, hireColumns()),
    months: scopedMeasureStatement(scope, 'hired', { cohort: 'month' }, hireColumns()),
  }),
  section({ all: [all], months }) {
    const hires = numberIn(all, 'hires');
    const cohorts = hires === 0 ? [] : months.slice(-MAX_MONTHS);
    const isUnfinished = (row: ReportRow): boolean => numberIn(row, 'open') > OPEN * numberIn(row, 'rows');
    const median = numberOrNull(all, 'time_to_hire');
    return {
      id: 'hire-cohorts',
      title: 'Time to hire, by the month of the application',
      finding:
        hires === 0
          ? 'No application of the span led to a hire.'
          : `Of those who were hired, half were within ${durationText(median)} of the application. ` +
            `There were ${countWithNoun(hires, 'hire')}; ${countText(sum(cohorts.map((row) => numberIn(row, 'open'))))} applications are still open.`,
      picture: barChart(
        cohorts,
        monthOf,
        hireBars.map((bars) => ({ ...bars, isUnfinished })),
      ),
      legend: cohorts.some(isUnfinished)
        ? [
            { swatch: 'first', text: 'nearly all have ended' },
            { swatch: 'hollow', text: 'more than a tenth are still open' },
          ]
        : [],
      table: toNumberTable('Cohorts, by the month of the application', cohorts, {
        Month: monthOf,
        Applied: createCountFormatter('rows'),
        Open: createCountFormatter('open'),
        Hired: createShareFormatter('hired'),
        'Half within': createDurationFormatter('time_to_hire'),
      }),
      note:
        `A cohort is what was applied for in one month, whenever it was hired. ${HIRE_NOTE} Where many are still open, the ` +
        `share grows. At most the last ${MAX_MONTHS} months are shown.`,
    };
  },
};

/** The same by profession. */
export const hireTimesByProfessionSection: ReportSection<'professions'> = {
  statements: (scope) => ({ professions: scopedMeasureStatement(scope, 'hired', { by: 'profession' }, hireColumns()) }),
  section({ professions }) {
    const groups = professions.some((row) => numberIn(row, 'hires') > 0) ? largest(professions) : [];
    const known = groups.filter((row) => daysOf(row) !== null).sort((a, b) => (daysOf(a) ?? 0) - (daysOf(b) ?? 0));
    const [fastest, slowest] = [known[0], known.at(-1)];
    const tell = (row: ReportRow) => `${professionOf(row)}, ${durationText(daysOf(row))}`;
    return {
      id: 'hire-professions',
      title: 'Time to hire, by profession',
      finding:
        groups.length === 0
          ? 'No application of the span led to a hire.'
          : !fastest || !slowest
            ? 'In none of the largest professions somebody was hired.'
            : fastest === slowest
              ? `It is known for ${tell(fastest)}.`
              : `It is shortest for ${tell(fastest)}, and longest for ${tell(slowest)}.`,
      picture: barChart(groups, professionOf, hireBars),
      table: toNumberTable('Applications by the profession of their posting', groups, {
        Profession: professionOf,
        Applications: createCountFormatter('rows'),
        Hired: createShareFormatter('hired'),
        'Half within': createDurationFormatter('time_to_hire'),
      }),
      note: HIRE_NOTE,
    };
  },
};

/** How many invitations to an interview were moved or called off. */
export const interviewChangesSection: ReportSection<'all' | 'months'> = {
  statements(scope) {
    const shares = ['interviews_moved', 'interviews_cancelled'].map((name) => measureColumnSql(measureNamed(name)));
    return {
      all: scopedMeasureStatement(scope, 'interviews', {}, shares),
      months: scopedMeasureStatement(scope, 'interviews', { cohort: 'month' }, shares),
    };
  },
  section({ all: [all], months }) {
    const last = months.slice(-MAX_MONTHS);
    const invitations = numberIn(all, 'interviews');
    return {
      id: 'interviews',
      title: 'Interviews moved and called off',
      finding:
        invitations === 0
          ? 'No invitation to an interview was sent.'
          : `Of ${countWithNoun(invitations, 'invitation')} to an interview, ${fractionText(numberOrNull(all, 'interviews_moved'))} got another time, and ` +
            `${fractionText(numberOrNull(all, 'interviews_cancelled'))} were called off.`,
      picture: barChart(last, monthOf, [
        shareBars('Moved', 'first', 'interviews_moved'),
        shareBars('Called off', 'second', 'interviews_cancelled'),
      ]),
      table: toNumberTable('Invitations by the month in which they were sent', last, {
        'Invited in': monthOf,
        Invitations: createCountFormatter('rows'),
        Moved: createShareFormatter('interviews_moved'),
        'Called off': createShareFormatter('interviews_cancelled'),
      }),
      note: `An invitation that was moved several times counts once. At most the last ${MAX_MONTHS} months are shown.`,
    };
  },
};

/** How many of those who are rejected were never interviewed. */
export const rejectionsWithoutInterviewSection: ReportSection<'all' | 'professions'> = {
  statements: (scope) => ({
    all: scopedMeasureStatement(scope, 'rejected_without_interview'),
    professions: scopedMeasureStatement(scope, 'rejected_without_interview', { by: 'profession' }),
  }),
  section({ all: [all], professions }) {
    const groups = largest(professions);
    const shareOf = (row: ReportRow): number => numberIn(row, 'rejected_without_interview');
    const shareText = createShareFormatter('rejected_without_interview');
    const [most] = [...groups].sort((a, b) => shareOf(b) - shareOf(a));
    return {
      id: 'rejections',
      title: 'Rejections without an interview',
      finding: !most
        ? 'No application was rejected in the span.'
        : `Of ${countWithNoun(numberIn(all, 'rows'), 'rejection')}, ${shareText(all)} came without an interview` +
          (groups.length > 1 ? `; most often for ${professionOf(most)}, ${shareText(most)}.` : '.'),
      picture: barChart(groups, professionOf, [
        { value: (row) => numberIn(row, 'rows'), part: (row) => numberIn(row, 'rows') * shareOf(row), text: shareText },
      ]),
      legend: [
        { swatch: 'first', text: 'without an interview' },
        { swatch: 'first pale', text: 'after one' },
      ],
      table: toNumberTable('Rejections in the span, by the profession of the posting', groups, {
        Profession: professionOf,
        Rejections: createCountFormatter('rows'),
        'Without interview': shareText,
      }),
      note: 'By the time of the rejection, whenever the application was made. An interview counts that was held.',
    };
  },
};
