import { parseDayOrTimestamp } from '../../schema/timestamp.ts';
import { invalid, notFound } from '../../errors/domain-error.ts';
import { literal } from './duckdb.ts';

/** What rows a measure is of, and what they can be grouped by: names of columns, as they are shown, with their SQL. */
interface Subject {
  /** A table of the warehouse, joined with others that say more of its rows. */
  readonly from: string;
  readonly by: Readonly<Record<string, readonly string[]>>;
}

const OFFICES = 'LEFT JOIN offices USING (office_id)';
/** Offices may have one name. */
const office = ['office_id', 'office_name'];
const ofPosting = { office, profession: ['profession'], specialty: ['specialty'], place: ['postings.state AS place'] };
const ofApplication = {
  office,
  profession: ['profession'],
  specialty: ['specialty'],
  place: ['applications.state AS place'],
  outcome: ['outcome'],
};

const subjects = {
  postings: { from: `postings ${OFFICES}`, by: ofPosting },
  applications: { from: `applications ${OFFICES}`, by: ofApplication },
  stays: {
    from: `stays JOIN applications USING (candidate_id) ${OFFICES}`,
    by: { ...ofApplication, state: ['stays.state AS state'] },
  },
  interviews: { from: `interviews JOIN applications USING (candidate_id) ${OFFICES}`, by: ofApplication },
  saves: { from: `saves LEFT JOIN postings USING (posting_id) ${OFFICES}`, by: ofPosting },
  onboarding_stays: {
    from: 'onboarding_stays LEFT JOIN professionals USING (professional_id)',
    by: { profession: ['profession'], status: ['status'] },
  },
  reviews: { from: `reviews ${OFFICES}`, by: { office, profession: ['profession'], specialty: ['specialty'] } },
} as const satisfies Readonly<Record<string, Subject>>;

/** What can be asked by name. Each is defined here alone: answers, the table `measures` and the docs follow from it. */
export interface Measure {
  readonly name: string;
  /** What its value is, in a sentence. */
  readonly meaning: string;
  readonly unit: 'days' | 'count' | 'share';
  readonly subject: keyof typeof subjects;
  /** The time by which a row is in a span or a cohort: a column of its subject. Rows without one do not count. */
  readonly at: string;
  /** Its value for some rows, in SQL. */
  readonly value: string;
  /** A condition of SQL for rows that count, beside that they have the time. */
  readonly where?: string;
  /** Of a share: the condition of SQL for a row that is of the part. */
  readonly part?: string;
  /** Of a duration. */
  readonly duration?: Duration;
}

/** Columns with the times when something began and ended. */
interface Duration {
  readonly began: string;
  readonly ended: string;
  /** When a row was last seen that did not end by then; left out: at the last event. */
  readonly until?: string;
}

/**
 * SQL for the days within which a share (0 to 1) of the rows ended, by Kaplan and Meier; null: it has not.
 *
 * @param where a condition of SQL for the rows that count; left out: all
 */
export const durationQuantileSql = ({ began, ended, until }: Duration, share: number, where?: string): string => {
  const seen = [ended, ...(until === undefined ? [] : [until]), 'last_recorded_at()'].join(', ');
  const lasting = `list({seconds: date_diff('second', ${began}, coalesce(${seen})), goes_on: ${ended} IS NULL})`;
  return `kaplan_meier(${lasting}${where === undefined ? '' : ` FILTER (${where})`}, ${share}) / 86400`;
};

/** The rows of a measure, and the time by which they count. */
type Rows = readonly [subject: Measure['subject'], at: string];

const count = (name: string, [subject, at]: Rows, meaning: string, value = 'count(*)'): Measure => ({
  name,
  meaning,
  unit: 'count',
  subject,
  at,
  value,
});

/** Null of no rows. */
const share = (name: string, [subject, at]: Rows, part: string, meaning: string): Measure => ({
  name,
  meaning,
  unit: 'share',
  subject,
  at,
  part,
  value: `avg(CAST(${part} AS INTEGER))`,
});

/** Within how many days half of the rows ended. */
const median = (
  name: string,
  subject: Measure['subject'],
  duration: Duration,
  meaning: string,
  where?: string,
): Measure => ({
  name,
  meaning,
  unit: 'days',
  subject,
  at: duration.began,
  duration,
  value: durationQuantileSql(duration, 0.5),
  ...(where !== undefined && { where }),
});

const applied: Rows = ['applications', 'applied_at'];
const invited: Rows = ['interviews', 'interviews.scheduled_at'];

/** Of applications: those that wait for their first answer. */
export const UNANSWERED_APPLICATION_CONDITION = "outcome = 'open' AND first_answer_at IS NULL";

export const measures: readonly Measure[] = [
  count('postings', ['postings', 'published_at'], 'How many postings were first recorded.'),
  count('saves', ['saves', 'saved_at'], 'How often a professional saved a posting.'),
  count('applications', applied, 'How many applications were made.'),
  share(
    'applications_saved_first',
    applied,
    'saved_at IS NOT NULL',
    'The share of applications to a posting that the professional had saved before.',
  ),
  share(
    'answered',
    applied,
    'first_answer_at IS NOT NULL',
    'The share of applications that were answered: by the first shortlisting, interview, hire or rejection.',
  ),
  median(
    'time_to_answer',
    'applications',
    { began: 'applied_at', ended: 'first_answer_at', until: 'closed_at' },
    'Within how many days half of the applications were answered; one that waits, or was closed unanswered, counts as long as it waited.',
  ),
  count(
    'waiting',
    applied,
    'How many applications are open and not answered yet.',
    `count(*) FILTER (${UNANSWERED_APPLICATION_CONDITION})`,
  ),
  share(
    'invited',
    applied,
    'scheduled_at IS NOT NULL',
    'The share of applications that led to an invitation to an interview.',
  ),
  share(
    'interviewed',
    applied,
    'interviewed_at IS NOT NULL',
    'The share of applications that led to an interview that was held.',
  ),
  share('hired', applied, 'hired_at IS NOT NULL', 'The share of applications that led to a hire.'),
  count('hires', ['applications', 'hired_at'], 'How many candidates were hired, whenever they applied.'),
  median(
    'time_to_hire',
    'applications',
    { began: 'applied_at', ended: 'hired_at' },
    'Within how many days of applying half of those who were hired were hired.',
    // Most applications never lead to a hire: with those that may still, the answer would nearly always be null.
    'hired_at IS NOT NULL',
  ),
  share(
    'rejected_without_interview',
    ['applications', 'rejected_at'],
    'interviewed_at IS NULL',
    'The share of rejected applications for which no interview was held.',
  ),
  median(
    'time_in_state',
    'stays',
    { began: 'began_at', ended: 'ended_at' },
    'Within how many days half of the applications left a state (applied, scheduled, interviewed); one that is in it counts as long as it is.',
    "stays.state NOT IN ('hired', 'rejected')",
  ),
  count('interviews', invited, 'How many invitations to an interview were sent.'),
  share('interviews_moved', invited, 'moves > 0', 'The share of invitations to an interview that got another time.'),
  share(
    'interviews_cancelled',
    invited,
    'cancelled_at IS NOT NULL',
    'The share of invitations to an interview that were called off.',
  ),
  median(
    'time_in_onboarding_step',
    'onboarding_stays',
    { began: 'began_at', ended: 'ended_at' },
    'Within how many days half of the professionals left a step of onboarding; one who is at it counts as long as it lasts.',
  ),
  count('reviews', ['reviews', 'posted_at'], 'How many reviews were posted, those that were replaced too.'),
];

/** Decimals of a value: minutes of days, hundredths of a per cent. */
const DECIMALS = { days: 3, share: 4 };

/** What a measure can be grouped by. */
export const groupingsOf = ({ subject }: Measure): Readonly<Record<string, readonly string[]>> => subjects[subject].by;

export const cohortPeriods = ['day', 'week', 'month', 'quarter', 'year'] as const;
type CohortPeriod = (typeof cohortPeriods)[number];

export interface MeasureGrouping {
  /** One of its groupings. */
  readonly by?: string | undefined;
  /** The rows of each such time on their own; a place's days where a time zone was asked for. */
  readonly cohort?: CohortPeriod | undefined;
}

/** @throws DomainError not-found for an unknown name, with those that there are */
export const requireMeasure = (name: string): Measure => {
  const found = measures.find((each) => each.name === name);
  if (found) return found;
  throw notFound(`There is no measure ${name}; there are ${measures.map((each) => each.name).join(', ')}`);
};

/** The column that a value of days or a share is shown as. */
export const valueColumnSql = (value: string, name: string, unit: Measure['unit']): string =>
  `${unit === 'count' ? value : `round(${value}, ${DECIMALS[unit]})`} AS ${name}`;

/** The column that a measure's value is shown as. */
export const measureColumnSql = ({ value, name, unit }: Measure): string => valueColumnSql(value, name, unit);

/**
 * A statement about the rows of a measure: a row for each group.
 *
 * @param groups, values SQL with the names of columns
 * @param conditions SQL beside that a row has the measure's time
 */
export const aggregateStatement = (
  { subject, at, where }: Measure,
  groups: readonly string[],
  values: readonly string[],
  conditions: readonly string[],
): string =>
  [
    `SELECT ${[...groups, ...values].join(', ')}`,
    `FROM ${subjects[subject].from}`,
    `WHERE ${[`${at} IS NOT NULL`, ...(where === undefined ? [] : [where]), ...conditions].join(' AND ')}`,
    ...(groups.length === 0 ? [] : ['GROUP BY ALL', `ORDER BY ${groups.map((_, index) => index + 1).join(', ')}`]),
  ].join('\n');

/** The column that the rows of a measure are grouped by, as a condition names it. */
export const groupingColumnOf = (measure: Measure, by: string): string =>
  (groupingsOf(measure)[by]?.[0] ?? by).replace(/ AS .*/, '');

/** SQL of the columns that a measure is grouped by. */
const groupsOf = (measure: Measure, { by, cohort }: MeasureGrouping): readonly string[] => [
  ...(cohort === undefined ? [] : [`CAST(date_trunc('${cohort}', ${measure.at}) AS DATE) AS ${cohort}`]),
  ...(by === undefined ? [] : (groupingsOf(measure)[by] ?? [])),
];

/**
 * The statement that answers a measure: a row for each cohort and group, with its value and how many rows it is of.
 *
 * @param conditions SQL beside that it has a time
 * @param further columns, in SQL
 */
export const statementOfMeasure = (
  measure: Measure,
  options: MeasureGrouping = {},
  conditions: readonly string[] = [],
  further: readonly string[] = [],
): string => {
  const values = [measureColumnSql(measure), ...further, 'count(*) AS "rows"'];
  return aggregateStatement(measure, groupsOf(measure, options), values, conditions);
};

/** Which rows of a measure of the catalogue are wanted, and in which groups. */
interface MeasureRequest extends MeasureGrouping {
  readonly name: string;
  /** A day, which is that of the place whose time zone is asked for, or an RFC 3339 time. */
  readonly from?: string | undefined;
  /** Rows before it. */
  readonly to?: string | undefined;
}

const utcOf = (text: string): string => parseDayOrTimestamp(text, 'The time');
const isDay = (text: string): boolean => !/t/i.test(text);

/** A day as it is written, which is the place's; a time in UTC, since DuckDB reads less than RFC 3339 allows. */
const timeOf = (text: string): string => literal(isDay(text) ? text : utcOf(text));

/**
 * A measure, and the statement that answers it.
 *
 * @throws DomainError for a name or a grouping that is not known, with those that are, and for a span that ends too
 *   early
 */
export const resolveMeasure = ({ name, from, to, ...options }: MeasureRequest) => {
  const measure = requireMeasure(name);
  const groupings = Object.keys(groupingsOf(measure));
  if (options.by !== undefined && !groupings.includes(options.by))
    throw invalid(`${name} cannot be grouped by ${options.by}; it can by ${groupings.join(', ')}`);
  // A day and a time are compared by the database alone, which knows the place.
  if (from !== undefined && to !== undefined && isDay(from) === isDay(to) && utcOf(from) >= utcOf(to))
    throw invalid(`from ${from} is not before to ${to}`);
  const conditions = [
    ...(from === undefined ? [] : [`${measure.at} >= TIMESTAMPTZ ${timeOf(from)}`]),
    ...(to === undefined ? [] : [`${measure.at} < TIMESTAMPTZ ${timeOf(to)}`]),
  ];
  return { measure, statement: statementOfMeasure(measure, options, conditions) };
};
