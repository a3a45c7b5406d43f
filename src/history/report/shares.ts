import { barRows, type BarColumn } from './bar-rows.ts';
import { ask, numberIn, numberOrNull, textIn, type ReportRow, type Source } from './source.ts';
import { countOf, countText, durationText, monthText, partText, sum } from './words.ts';

/** Months that are shown, at most: the last ones. */
const MAX_MONTHS = 24;
/** Professions that are shown, at most: those with most rows. */
const MAX_GROUPS = 20;
/** A cohort of which a larger share is open may change. */
const OPEN = 0.1;

const keyed = (rows: readonly ReportRow[], key: string): ReadonlyMap<string, ReportRow> =>
  new Map(rows.map((row) => [textIn(row, key), row]));

const bars = (
  heading: string,
  tone: BarColumn['tone'],
  values: readonly (number | null)[],
  text: (value: number | null) => string,
  isUnfinished: (at: number) => boolean = () => false,
): BarColumn => ({
  heading,
  tone,
  bars: values.map((value, at) => ({ value: value ?? 0, text: text(value), isUnfinished: isUnfinished(at) })),
});

const daysText = (days: number | null): string => (days === null ? '–' : days.toFixed(1));

/** How long it takes until somebody is hired, by the month of the application. */
export const hireTimesByCohort: Source<'all' | 'time' | 'hired' | 'outcomes'> = {
  statements: (scope) => ({
    all: ask(scope, 'time_to_hire'),
    time: ask(scope, 'time_to_hire', { cohort: 'month' }),
    hired: ask(scope, 'hired', { cohort: 'month' }),
    outcomes: ask(scope, 'applications', { by: 'outcome', cohort: 'month' }),
  }),
  section({ all: [all], time, hired, outcomes }) {
    const times = keyed(time, 'month');
    const open = keyed(
      outcomes.filter((row) => textIn(row, 'outcome') === 'open'),
      'month',
    );
    const cohorts = hired.slice(-MAX_MONTHS).map((row) => {
      const month = textIn(row, 'month');
      return {
        month,
        applications: numberIn(row, 'rows'),
        share: numberOrNull(row, 'hired'),
        days: numberOrNull(times.get(month), 'time_to_hire'),
        open: numberIn(open.get(month), 'rows'),
      };
    });
    const isUnfinished = (at: number): boolean => {
      const cohort = cohorts[at];
      return cohort !== undefined && cohort.open > OPEN * cohort.applications;
    };
    const hires = numberIn(all, 'rows');
    return {
      id: 'hire-cohorts',
      title: 'Time to hire, by the month of the application',
      finding:
        hires === 0
          ? 'No application of the span led to a hire.'
          : `Half of ${countOf(hires, 'hire')} came within ${durationText(numberOrNull(all, 'time_to_hire'))} of the application. ` +
            `${countText(sum(cohorts.map((each) => each.open)))} applications are still open, and may lead to later ones.`,
      picture:
        hires === 0
          ? null
          : (width) =>
              barRows(
                cohorts.map(({ month }) => monthText(month)),
                [
                  bars(
                    'Days',
                    'first',
                    cohorts.map(({ days }) => days),
                    daysText,
                    isUnfinished,
                  ),
                  bars(
                    'Hired',
                    'second',
                    cohorts.map(({ share }) => share),
                    partText,
                    isUnfinished,
                  ),
                ],
                width,
              ),
      legend: cohorts.some((_, at) => isUnfinished(at))
        ? [
            { swatch: 'first', text: 'nearly all have ended' },
            { swatch: 'hollow', text: 'more than a tenth are still open' },
          ]
        : [],
      table: {
        caption: 'Cohorts, by the month of the application',
        columns: ['Month', 'Applied', 'Open', 'Hired', 'Half within'],
        rows: cohorts.map(({ month, applications, open: still, share, days }) => [
          monthText(month),
          countText(applications),
          countText(still),
          partText(share),
          durationText(days),
        ]),
      },
      note:
        'A cohort is what was applied for in one month, whenever it was hired. The time is that of those who were hired so far: ' +
        `where many are still open, it grows, and so does the share. At most the last ${MAX_MONTHS} months are shown.`,
    };
  },
};

/** The same by profession. */
export const hireTimesByProfession: Source<'time' | 'hired'> = {
  statements: (scope) => ({
    time: ask(scope, 'time_to_hire', { by: 'profession' }),
    hired: ask(scope, 'hired', { by: 'profession' }),
  }),
  section({ time, hired }) {
    const times = keyed(time, 'profession');
    const groups = [...hired]
      .sort((a, b) => numberIn(b, 'rows') - numberIn(a, 'rows'))
      .slice(0, MAX_GROUPS)
      .map((row) => {
        const profession = textIn(row, 'profession');
        return {
          name: profession || 'not known',
          applications: numberIn(row, 'rows'),
          share: numberOrNull(row, 'hired'),
          days: numberOrNull(times.get(profession), 'time_to_hire'),
        };
      });
    const known = groups.flatMap(({ name, days }) => (days === null ? [] : [{ name, days }]));
    const [fastest] = [...known].sort((a, b) => a.days - b.days);
    const [slowest] = [...known].sort((a, b) => b.days - a.days);
    const isOne = known.length < 2;
    return {
      id: 'hire-professions',
      title: 'Time to hire, by profession',
      finding:
        !fastest || !slowest
          ? 'No application of the span led to a hire.'
          : isOne
            ? `Half of the hires of ${fastest.name} came within ${durationText(fastest.days)} of the application.`
            : `It is shortest for ${fastest.name}, ${durationText(fastest.days)}, and longest for ${slowest.name}, ${durationText(slowest.days)}.`,
      picture:
        known.length === 0
          ? null
          : (width) =>
              barRows(
                groups.map(({ name }) => name),
                [
                  bars(
                    'Days',
                    'first',
                    groups.map(({ days }) => days),
                    daysText,
                  ),
                  bars(
                    'Hired',
                    'second',
                    groups.map(({ share }) => share),
                    partText,
                  ),
                ],
                width,
              ),
      legend: [],
      table: {
        caption: 'Applications by the profession of their posting',
        columns: ['Profession', 'Applications', 'Hired', 'Half within'],
        rows: groups.map(({ name, applications, share, days }) => [
          name,
          countText(applications),
          partText(share),
          durationText(days),
        ]),
      },
      note: 'The time within which half of those who were hired so far were hired.',
    };
  },
};

/** How many invitations to an interview were moved or called off. */
export const interviews: Source<'all' | 'moved' | 'cancelled' | 'allMoved' | 'allCancelled'> = {
  statements: (scope) => ({
    all: ask(scope, 'interviews'),
    allMoved: ask(scope, 'interviews_moved'),
    allCancelled: ask(scope, 'interviews_cancelled'),
    moved: ask(scope, 'interviews_moved', { cohort: 'month' }),
    cancelled: ask(scope, 'interviews_cancelled', { cohort: 'month' }),
  }),
  section({ all: [all], allMoved: [anyMoved], allCancelled: [anyCancelled], moved, cancelled }) {
    const calledOff = keyed(cancelled, 'month');
    const months = moved.slice(-MAX_MONTHS).map((row) => {
      const month = textIn(row, 'month');
      return {
        month,
        invitations: numberIn(row, 'rows'),
        moved: numberOrNull(row, 'interviews_moved'),
        cancelled: numberOrNull(calledOff.get(month), 'interviews_cancelled'),
      };
    });
    const invitations = numberIn(all, 'interviews');
    return {
      id: 'interviews',
      title: 'Interviews moved and called off',
      finding:
        invitations === 0
          ? 'No invitation to an interview was sent.'
          : `Of ${countOf(invitations, 'invitation')} to an interview, ${partText(numberOrNull(anyMoved, 'interviews_moved'))} got another time, and ` +
            `${partText(numberOrNull(anyCancelled, 'interviews_cancelled'))} were called off.`,
      picture:
        invitations === 0
          ? null
          : (width) =>
              barRows(
                months.map(({ month }) => monthText(month)),
                [
                  bars(
                    'Moved',
                    'first',
                    months.map((each) => each.moved),
                    partText,
                  ),
                  bars(
                    'Called off',
                    'second',
                    months.map((each) => each.cancelled),
                    partText,
                  ),
                ],
                width,
              ),
      legend: [],
      table: {
        caption: 'Invitations by the month in which they were sent',
        columns: ['Invited in', 'Invitations', 'Moved', 'Called off'],
        rows: months.map((each) => [
          monthText(each.month),
          countText(each.invitations),
          partText(each.moved),
          partText(each.cancelled),
        ]),
      },
      note: `An invitation that was moved several times counts once. At most the last ${MAX_MONTHS} months are shown.`,
    };
  },
};

/** How many of those who are rejected were never interviewed. */
export const rejections: Source<'all' | 'professions'> = {
  statements: (scope) => ({
    all: ask(scope, 'rejected_without_interview'),
    professions: ask(scope, 'rejected_without_interview', { by: 'profession' }),
  }),
  section({ all: [all], professions }) {
    const count = numberIn(all, 'rows');
    const groups = professions
      .map((row) => ({
        name: textIn(row, 'profession') || 'not known',
        rejections: numberIn(row, 'rows'),
        share: numberOrNull(row, 'rejected_without_interview'),
      }))
      .sort((a, b) => b.rejections - a.rejections)
      .slice(0, MAX_GROUPS);
    const [most] = [...groups].sort((a, b) => (b.share ?? 0) - (a.share ?? 0));
    return {
      id: 'rejections',
      title: 'Rejections without an interview',
      finding:
        count === 0
          ? 'No application was rejected in the span.'
          : `Of ${countOf(count, 'rejection')}, ${partText(numberOrNull(all, 'rejected_without_interview'))} came without an interview` +
            (groups.length > 1 && most ? `; most often for ${most.name}, ${partText(most.share)}.` : '.'),
      picture:
        count === 0
          ? null
          : (width) =>
              barRows(
                groups.map(({ name }) => name),
                [
                  {
                    heading: null,
                    tone: 'first',
                    bars: groups.map(({ rejections: value, share }) => ({
                      value,
                      part: value * (share ?? 0),
                      text: partText(share),
                    })),
                  },
                ],
                width,
              ),
      legend: [
        { swatch: 'first', text: 'without an interview' },
        { swatch: 'first pale', text: 'after one' },
      ],
      table: {
        caption: 'Rejections in the span, by the profession of the posting',
        columns: ['Profession', 'Rejections', 'Without interview'],
        rows: groups.map(({ name, rejections: value, share }) => [name, countText(value), partText(share)]),
      },
      note: 'By the time of the rejection, whenever the application was made. An interview counts that was held.',
    };
  },
};
