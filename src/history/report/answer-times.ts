import {
  measureColumnSql,
  requireMeasure,
  aggregateStatement,
  UNANSWERED_APPLICATION_CONDITION,
} from '../warehouse/measures.ts';
import { createBarChartDrawer } from './bar-chart.ts';
import { countByClassSql, countsByClassOf, dayClasses, createHistogramDrawer } from './histogram.ts';
import { toTableContent } from './section-markup.ts';
import {
  measureConditions,
  createCountColumnFormatter,
  createDurationColumnFormatter,
  scopedMeasureStatement,
  numberMember,
  numberOrNull,
  textMember,
  type ReportRow,
  type ReportScope,
  type ReportSection,
} from './report-section.ts';
import { countWithNoun, countText, durationText, percentOfTotalText, shortenedName, sum } from './words.ts';

/** Applications by classes of days. @param days in SQL, since the application */
const applicationsByClass = (scope: ReportScope, days: string, conditions: readonly string[] = []) => {
  const measure = requireMeasure('applications');
  const rows = aggregateStatement(
    measure,
    [],
    [`date_diff('second', applied_at, ${days}) / 86400 AS days`],
    [...conditions, ...measureConditions(measure, scope)],
  );
  return { rows, statement: countByClassSql(rows, 'days', dayClasses, ['count(*) AS applications']) };
};

const classTable = (
  caption: string,
  heading: string,
  counts: readonly number[],
  further: readonly (readonly [name: string, count: number])[] = [],
) => {
  const rows = [...dayClasses.names.map((name, at) => [name, counts[at] ?? 0] as const), ...further];
  const all = sum(rows.map(([, count]) => count));
  return toTableContent(caption, rows, {
    [heading]: ([name]) => name,
    Applications: ([, count]) => countText(count),
    Share: ([, count]) => percentOfTotalText(count, all),
  });
};

/** How long the applications wait that no office has answered. */
export const waitingApplicationsSection: ReportSection<'ages' | 'median'> = {
  statements(scope) {
    const { rows, statement } = applicationsByClass(scope, 'last_recorded_at()', [UNANSWERED_APPLICATION_CONDITION]);
    return {
      ages: statement,
      median: `SELECT round(quantile_disc(days, 0.5), 3) AS median, round(max(days), 3) AS oldest\nFROM (${rows})`,
    };
  },
  section({ ages, median: [middle] }) {
    const counts = countsByClassOf(ages, 'applications', dayClasses);
    const all = sum(counts);
    return {
      id: 'waiting',
      title: 'Applications that wait for an answer',
      finding:
        all === 0
          ? 'No application waits for an answer.'
          : `${countWithNoun(all, 'application')} of open postings ${all === 1 ? 'waits' : 'wait'} for a first answer: half of them for ` +
            `${createDurationColumnFormatter('median')(middle)} or longer, the oldest for ${createDurationColumnFormatter('oldest')(middle)}.`,
      picture: createHistogramDrawer(dayClasses, [{ heading: 'Applications a day of age', tone: 'first', counts }]),
      table: classTable('Waiting applications by age', 'Age', counts),
      note:
        'The age is the time from the application to the last event that is looked at. Classes differ in width: the area of a ' +
        'bar is its number of applications, the height how many there are for each day.',
    };
  },
};

/** How long offices take to answer applications. */
export const answerTimesSection: ReportSection<'time' | 'classes'> = {
  statements: (scope) => ({
    time: scopedMeasureStatement(scope, 'time_to_answer', {}, [measureColumnSql(requireMeasure('waiting'))]),
    classes: applicationsByClass(scope, 'first_answer_at').statement,
  }),
  section({ time: [time], classes }) {
    const counts = countsByClassOf(classes, 'applications', dayClasses);
    const [all, waits] = [numberMember(time, 'rows'), numberMember(time, 'waiting')];
    const closed = all - sum(counts) - waits;
    const median = numberOrNull(time, 'time_to_answer');
    return {
      id: 'answers',
      title: 'How fast offices answer',
      finding:
        all === 0
          ? 'Nobody applied in the span.'
          : `${median === null ? 'Fewer than half of the applications are answered yet' : `Half of the applications are answered within ${durationText(median)}, those that wait counted as long as they do`}. ` +
            `Waiting: ${countText(waits)}; closed with their posting without an answer: ${countText(closed)}.`,
      picture: createHistogramDrawer(dayClasses, [{ heading: 'Answers a day of waiting', tone: 'first', counts }]),
      table: classTable('Applications by the time to their first answer', 'Time', counts, [
        ['still waiting', waits],
        ['closed without', closed],
      ]),
      note:
        'An answer is the office’s first shortlisting, interview, hire or rejection. Half of the applications: the estimate of ' +
        'Kaplan and Meier. Classes differ in width: the area of a bar is its number of answers.',
    };
  },
};

/** Offices that are named, at most, and the applications that one of them has at least. */
const [MOST, FEWEST] = [20, 5];
const NAME = 22;

const nameOf = (row: ReportRow): string =>
  textMember(row, 'office_name') || textMember(row, 'office_id') || 'not known';
const daysOf = (row: ReportRow): number | null => numberOrNull(row, 'time_to_answer');

/** The offices that take longest to answer. */
export const slowestOfficesSection: ReportSection<'offices'> = {
  statements: (scope) => ({
    offices: [
      'SELECT *, count(*) OVER () AS offices',
      `FROM (${scopedMeasureStatement(scope, 'time_to_answer', { by: 'office' })})`,
      `WHERE "rows" >= ${FEWEST}`,
      `ORDER BY time_to_answer DESC NULLS FIRST, "rows" DESC, office_id LIMIT ${MOST}`,
    ].join('\n'),
  }),
  section({ offices: rows }) {
    const [slowest] = rows;
    const all = numberMember(slowest, 'offices');
    // Offices may have one name.
    const isOnly = (row: ReportRow): boolean => rows.filter((other) => nameOf(other) === nameOf(row)).length === 1;
    return {
      id: 'offices',
      title: 'Offices that take longest to answer',
      finding: !slowest
        ? `No office has ${FEWEST} applications.`
        : `${countWithNoun(all, 'office')} had ${FEWEST} applications or more` +
          (all > MOST ? `; of the ${MOST} that take longest, ` : '; ') +
          nameOf(slowest) +
          (daysOf(slowest) === null
            ? ' has not answered half of them yet.'
            : ` answers half of them within ${durationText(daysOf(slowest))}.`),
      picture: createBarChartDrawer(rows, (row) => shortenedName(nameOf(row), NAME), [
        { heading: 'Days', value: daysOf, text: (row) => daysOf(row)?.toFixed(1) ?? 'not half yet' },
      ]),
      table: toTableContent('Offices by the time within which half of their applications are answered', rows, {
        Office: (row) => (isOnly(row) ? nameOf(row) : `${nameOf(row)} (${textMember(row, 'office_id')})`),
        Applications: createCountColumnFormatter('rows'),
        'Half within': (row) => (daysOf(row) === null ? 'not half yet' : durationText(daysOf(row))),
      }),
      note: 'By Kaplan and Meier: an application that waits, or was closed unanswered, counts as long as it waited.',
    };
  },
};
