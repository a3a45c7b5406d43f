import { valueColumnSql, durationQuantileSql, measureColumnSql, requireMeasure } from '../warehouse/measures.ts';
import { createBarChartDrawer, type BarColumn } from './bar-chart.ts';
import { toTableContent } from './section-markup.ts';
import {
  createCountColumnFormatter,
  createDurationColumnFormatter,
  scopedMeasureStatement,
  numberMember,
  numberOrNull,
  createShareColumnFormatter,
  textMember,
  type ReportRow,
  type ReportSection,
} from './report-section.ts';
import { countWithNoun, countText, durationText, monthText, percentText, sum } from './words.ts';

/** Sections of a row for each month or profession. */

/** Months that are shown, at most: the last ones. */
const MAX_MONTHS = 24;
/** Professions that are shown, at most: those with most rows. */
const MAX_GROUPS = 20;
/** A cohort of which a larger share is open may change. */
const OPEN = 0.1;

const monthOf = (row: ReportRow): string => monthText(textMember(row, 'month'));
const professionOf = (row: ReportRow): string => textMember(row, 'profession') || 'not known';

const largest = (rows: readonly ReportRow[]): readonly ReportRow[] =>
  [...rows].sort((a, b) => numberMember(b, 'rows') - numberMember(a, 'rows')).slice(0, MAX_GROUPS);

const shareBars = (heading: string, tone: 'first' | 'second', name: string): BarColumn<ReportRow> => ({
  heading,
  tone,
  value: (row) => numberOrNull(row, name),
  text: createShareColumnFormatter(name),
});

const daysOf = (row: ReportRow): number | null => numberOrNull(row, 'time_to_hire');
const hireBars: readonly BarColumn<ReportRow>[] = [
  { heading: 'Days', value: daysOf, text: (row) => daysOf(row)?.toFixed(1) ?? '–' },
  shareBars('Hired', 'second', 'hired'),
];

/** How long a hire takes, and how many there are, in columns of a statement about all applications. */
const hireColumns = (): readonly string[] => {
  const { name, duration, where, unit } = requireMeasure('time_to_hire');
  return [
    'count(hired_at) AS hires',
    "count(*) FILTER (outcome = 'open') AS open",
    ...(duration ? [valueColumnSql(durationQuantileSql(duration, 0.5, where), name, unit)] : []),
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
    const hires = numberMember(all, 'hires');
    const cohorts = hires === 0 ? [] : months.slice(-MAX_MONTHS);
    const isUnfinished = (row: ReportRow): boolean => numberMember(row, 'open') > OPEN * numberMember(row, 'rows');
    const median = numberOrNull(all, 'time_to_hire');
    return {
      id: 'hire-cohorts',
      title: 'Time to hire, by the month of the application',
      finding:
        hires === 0
          ? 'No application of the span led to a hire.'
          : `Of those who were hired, half were within ${durationText(median)} of the application. ` +
            `There were ${countWithNoun(hires, 'hire')}; ${countText(sum(cohorts.map((row) => numberMember(row, 'open'))))} applications are still open.`,
      picture: createBarChartDrawer(
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
      table: toTableContent('Cohorts, by the month of the application', cohorts, {
        Month: monthOf,
        Applied: createCountColumnFormatter('rows'),
        Open: createCountColumnFormatter('open'),
        Hired: createShareColumnFormatter('hired'),
        'Half within': createDurationColumnFormatter('time_to_hire'),
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
    const groups = professions.some((row) => numberMember(row, 'hires') > 0) ? largest(professions) : [];
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
      picture: createBarChartDrawer(groups, professionOf, hireBars),
      table: toTableContent('Applications by the profession of their posting', groups, {
        Profession: professionOf,
        Applications: createCountColumnFormatter('rows'),
        Hired: createShareColumnFormatter('hired'),
        'Half within': createDurationColumnFormatter('time_to_hire'),
      }),
      note: HIRE_NOTE,
    };
  },
};

/** How many invitations to an interview were moved or called off. */
export const interviewChangesSection: ReportSection<'all' | 'months'> = {
  statements(scope) {
    const shares = ['interviews_moved', 'interviews_cancelled'].map((name) => measureColumnSql(requireMeasure(name)));
    return {
      all: scopedMeasureStatement(scope, 'interviews', {}, shares),
      months: scopedMeasureStatement(scope, 'interviews', { cohort: 'month' }, shares),
    };
  },
  section({ all: [all], months }) {
    const last = months.slice(-MAX_MONTHS);
    const invitations = numberMember(all, 'interviews');
    return {
      id: 'interviews',
      title: 'Interviews moved and called off',
      finding:
        invitations === 0
          ? 'No invitation to an interview was sent.'
          : `Of ${countWithNoun(invitations, 'invitation')} to an interview, ${percentText(numberOrNull(all, 'interviews_moved'))} got another time, and ` +
            `${percentText(numberOrNull(all, 'interviews_cancelled'))} were called off.`,
      picture: createBarChartDrawer(last, monthOf, [
        shareBars('Moved', 'first', 'interviews_moved'),
        shareBars('Called off', 'second', 'interviews_cancelled'),
      ]),
      table: toTableContent('Invitations by the month in which they were sent', last, {
        'Invited in': monthOf,
        Invitations: createCountColumnFormatter('rows'),
        Moved: createShareColumnFormatter('interviews_moved'),
        'Called off': createShareColumnFormatter('interviews_cancelled'),
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
    const shareOf = (row: ReportRow): number => numberMember(row, 'rejected_without_interview');
    const shareText = createShareColumnFormatter('rejected_without_interview');
    const [most] = [...groups].sort((a, b) => shareOf(b) - shareOf(a));
    return {
      id: 'rejections',
      title: 'Rejections without an interview',
      finding: !most
        ? 'No application was rejected in the span.'
        : `Of ${countWithNoun(numberMember(all, 'rows'), 'rejection')}, ${shareText(all)} came without an interview` +
          (groups.length > 1 ? `; most often for ${professionOf(most)}, ${shareText(most)}.` : '.'),
      picture: createBarChartDrawer(groups, professionOf, [
        {
          value: (row) => numberMember(row, 'rows'),
          part: (row) => numberMember(row, 'rows') * shareOf(row),
          text: shareText,
        },
      ]),
      legend: [
        { swatch: 'first', text: 'without an interview' },
        { swatch: 'first pale', text: 'after one' },
      ],
      table: toTableContent('Rejections in the span, by the profession of the posting', groups, {
        Profession: professionOf,
        Rejections: createCountColumnFormatter('rows'),
        'Without interview': shareText,
      }),
      note: 'By the time of the rejection, whenever the application was made. An interview counts that was held.',
    };
  },
};
