import { notFound } from '../../errors/domain-error.ts';
import type { Position } from '../../event-store/port.ts';
import { readPackageVersion } from '../../lib/package-version.ts';
import { findMomentPair, createMomentFinder, type MomentLog } from '../moment/moment.ts';
import type { ReportQuestion } from '../warehouse/questions.ts';
import { interruptOnAbort } from '../warehouse/sql-result.ts';
import { textOfQuery, timeTextSql, type Database } from '../warehouse/duckdb.ts';
import { filteredEventViewsSql } from '../warehouse/schema.ts';
import { answerTimesSection, slowestOfficesSection, waitingApplicationsSection } from './answer-times.ts';
import { travelDistancesSection } from './distances.ts';
import { funnelSection } from './funnel.ts';
import { placesMapSection } from './map.ts';
import { reportPage, type ReportProvenance, type HeadlineFigures } from './page.ts';
import {
  hireTimesByCohortSection,
  hireTimesByProfessionSection,
  interviewChangesSection,
  rejectionsWithoutInterviewSection,
} from './by-group.ts';
import {
  createCountColumnFormatter,
  createDurationColumnFormatter,
  scopedMeasureStatement,
  numberMember,
  textMember,
  timeLiteral,
  type ReportRow,
  type ReportScope,
  type ReportSection,
} from './report-section.ts';
import { timesInStateSection } from './state-times.ts';
import { weeklyApplicationsAndHiresSection } from './weeks.ts';

/** A report as it is asked for. */
export interface ReportRequest extends ReportQuestion {
  readonly withPersonalData: boolean;
}

export interface Report {
  readonly provenance: ReportProvenance;
  readonly page: string;
}

/** What people ask first comes first. */
export const reportSections: readonly ReportSection[] = [
  hireTimesByCohortSection,
  hireTimesByProfessionSection,
  funnelSection,
  timesInStateSection,
  waitingApplicationsSection,
  answerTimesSection,
  slowestOfficesSection,
  interviewChangesSection,
  rejectionsWithoutInterviewSection,
  weeklyApplicationsAndHiresSection,
  placesMapSection,
  travelDistancesSection,
];

/** At the head of the page: measures by the names that they have there. */
const totals = [
  ['postings', 'New postings'],
  ['saves', 'Saved'],
  ['applications', 'Applications'],
  ['hires', 'Hires'],
  ['time_to_answer', 'Median answer'],
  ['time_to_hire', 'Median hire'],
] as const;

type Query = (statement: string) => Promise<readonly ReportRow[]>;

const queryOf =
  (database: Database, signal: AbortSignal): Query =>
  async (statement) => {
    signal.throwIfAborted();
    const done = interruptOnAbort(database, signal);
    try {
      return (await database.connection.runAndReadAll(statement)).getRowObjectsJson();
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      done();
    }
  };

/** The events of a warehouse as what moments are found in. @param end its last position */
const momentLogOf = (database: Database, end: Position): MomentLog => ({
  head: () => Promise.resolve(end),
  async recordAt(position) {
    const sql = 'SELECT id, stream, revision FROM events WHERE position = $1';
    const [row] = (await database.connection.runAndReadAll(sql, [position])).getRowObjectsJson();
    return (
      row && { id: textMember(row, 'id'), stream: textMember(row, 'stream'), revision: numberMember(row, 'revision') }
    );
  },
  async readStream(stream, revision = 0) {
    const time = await textOfQuery(
      database,
      `SELECT ${timeTextSql('recorded_at')} FROM events WHERE stream = $1 AND revision = $2`,
      [stream, revision],
    );
    const metadata = time === undefined ? {} : { recordedAt: time };
    return [{ id: '', type: '', version: 0, stream, revision, position: '', data: {}, metadata }];
  },
});

/** A day as the moment at which it begins where the time zone is; any other moment as it is. */
const inZone = async (database: Database, moment: string | undefined): Promise<string | undefined> =>
  moment === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(moment)
    ? moment
    : textOfQuery(database, `SELECT ${timeTextSql('CAST(CAST($1 AS DATE) AS TIMESTAMPTZ)')}`, [moment]);

/** @throws DomainError not-found where postings are filtered, none of which is so */
const refuseFilter = async (query: Query, { profession, state }: ReportScope): Promise<void> => {
  if (profession === undefined && state === undefined) return;
  const postings = await query('SELECT DISTINCT profession, state FROM postings');
  const isFound = postings.some(
    (row) =>
      (profession === undefined || row['profession'] === profession) &&
      (state === undefined || textMember(row, 'state').toUpperCase() === state.toUpperCase()),
  );
  if (isFound) return;
  const filters = [
    ...(profession === undefined ? [] : [`the profession ${profession}`]),
    ...(state === undefined ? [] : [`the state ${state}`]),
  ];
  const known = (name: string): string => {
    const values = new Set(postings.map((row) => textMember(row, name)).filter((value) => value !== ''));
    return [...values].sort().join(', ') || 'none';
  };
  throw notFound(
    `No posting is of ${filters.join(' and ')}; there are the professions ${known('profession')}, and the states ${known('state')}`,
  );
};

/** Has the connection show what there was at the end of the span, where that is not all that the warehouse has. */
const showSpan = async (database: Database, { to }: Pick<ReportScope, 'to'>): Promise<void> => {
  const isAll = await textOfQuery(
    database,
    `SELECT 1 FROM internal.state WHERE position = $1 AND ${to.at === null ? 'true' : `coalesce(last_recorded_at() <= ${timeLiteral(to.at)}, true)`}`,
    [to.position],
  );
  if (isAll === undefined) await database.connection.run(filteredEventViewsSql(to, 'TABLE'));
};

const answersOf = async (
  query: Query,
  statements: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, readonly ReportRow[]>>> => {
  const found: Record<string, readonly ReportRow[]> = {};
  for (const [name, statement] of Object.entries(statements))
    found[name] = statement === '' ? [] : await query(statement);
  return found;
};

const listOf = (statements: Readonly<Record<string, string>>): readonly string[] =>
  Object.values(statements).filter((statement) => statement !== '');

const totalsOf = async (query: Query, scope: ReportScope) => {
  const statements = Object.fromEntries(totals.map(([name]) => [name, scopedMeasureStatement(scope, name)]));
  const found = await answersOf(query, statements);
  const content: HeadlineFigures = totals.map(([name, label]) => {
    const [row] = found[name] ?? [];
    return [
      label,
      (name.startsWith('time_') ? createDurationColumnFormatter(name) : createCountColumnFormatter(name))(row),
    ];
  });
  return { content, statements: listOf(statements) };
};

/**
 * Makes a report from a warehouse.
 *
 * @param end the position that the warehouse counts as its last
 * @throws DomainError for moments that there are not, or that are the wrong way round, and for a filter that nothing
 *   matches; the signal's reason where that is aborted
 */
export const createReportFromWarehouse = async (
  database: Database,
  end: Position,
  { from, to, upTo, withPersonalData, profession, state, timeZone }: ReportRequest,
  signal: AbortSignal,
): Promise<Report> => {
  const query = queryOf(database, signal);
  const moments = await findMomentPair(createMomentFinder(momentLogOf(database, end)), {
    from: await inZone(database, from),
    to: await inZone(database, to),
    upTo,
  });
  const scope: ReportScope = { ...moments, profession, state, withPersonalData, timeZone };
  await showSpan(database, scope);
  await refuseFilter(query, scope);
  const sections = [];
  const head = await totalsOf(query, scope);
  for (const { statements: statementsOf, section } of reportSections) {
    const statements = statementsOf(scope);
    sections.push({ content: section(await answersOf(query, statements), scope), statements: listOf(statements) });
  }
  const unread = await query('SELECT stream, revision, position FROM events WHERE data IS NULL ORDER BY seq');
  const unreadable = unread.map((row) => ({
    stream: textMember(row, 'stream'),
    revision: numberMember(row, 'revision'),
    position: textMember(row, 'position'),
  }));
  const provenance = { ...scope, code: readPackageVersion() };
  return { provenance, page: reportPage(head, sections, unreadable, provenance) };
};
