import type { Moment } from '../moment/moment.ts';
import { literal } from '../warehouse/duckdb.ts';
import {
  groupingColumnOf,
  requireMeasure,
  statementOfMeasure,
  type Measure,
  type MeasureGrouping,
} from '../warehouse/measures.ts';
import type { SectionContent } from './section-markup.ts';
import { countText, durationText, percentText } from './words.ts';

/** What a report is about. */
export interface ReportScope {
  /** Null: from the beginning of the event log. */
  readonly from: Moment | null;
  readonly to: Moment;
  /** Of postings; undefined: any. */
  readonly profession: string | undefined;
  readonly state: string | undefined;
  readonly withPersonalData: boolean;
  /** Of days; undefined: UTC. */
  readonly timeZone: string | undefined;
}

/** A row of an answer: integers are texts, as are days and times. */
export type ReportRow = Readonly<Record<string, unknown>>;
type OptionalRow = ReportRow | undefined;

/** A member that is a number; 0 for none. */
export const numberMember = (row: OptionalRow, name: string): number => Number(row?.[name] ?? 0);
/** A member that is a number, or null. */
export const numberOrNull = (row: OptionalRow, name: string): number | null => {
  const value = row?.[name];
  return value === undefined || value === null ? null : Number(value);
};
/** A member that is a text; empty for none. */
export const textMember = (row: OptionalRow, name: string): string => {
  const value = row?.[name];
  return typeof value === 'string' ? value : '';
};

/** The cells of a column, by the member that is in it. */
export const createCountColumnFormatter =
  (name: string) =>
  (row: OptionalRow): string =>
    countText(numberMember(row, name));
export const createShareColumnFormatter =
  (name: string) =>
  (row: OptionalRow): string =>
    percentText(numberOrNull(row, name));
export const createDurationColumnFormatter =
  (name: string) =>
  (row: OptionalRow): string =>
    durationText(numberOrNull(row, name));

/** When what is counted began; undefined: with the event log. */
export const scopeStartOf = ({ from }: Pick<ReportScope, 'from'>): string | undefined =>
  from?.at ?? from?.recordedAt ?? undefined;

/** A time as a literal of SQL. */
export const timeLiteral = (time: string): string => `TIMESTAMPTZ ${literal(time)}`;

/** Conditions of SQL for the postings that a report is about. */
export const postingConditions = (measure: Measure, { profession, state }: ReportScope): readonly string[] => [
  ...(profession === undefined ? [] : [`${groupingColumnOf(measure, 'profession')} = ${literal(profession)}`]),
  ...(state === undefined ? [] : [`upper(${groupingColumnOf(measure, 'place')}) = upper(${literal(state)})`]),
];

/** Conditions of SQL for the rows of a measure that a report is about. */
export const measureConditions = (measure: Measure, scope: ReportScope): readonly string[] => {
  const since = scopeStartOf(scope);
  return [
    ...(since === undefined ? [] : [`${measure.at} > ${timeLiteral(since)}`]),
    ...postingConditions(measure, scope),
  ];
};

/** The statement of a measure, for what a report is about. @param further columns, in SQL */
export const scopedMeasureStatement = (
  scope: ReportScope,
  name: string,
  options: MeasureGrouping = {},
  further: readonly string[] = [],
): string => {
  const measure = requireMeasure(name);
  return statementOfMeasure(measure, options, measureConditions(measure, scope), further);
};

/** A part of a report: its statements, and what it says of their answers. */
export interface ReportSection<Name extends string = string> {
  readonly statements: (scope: ReportScope) => Readonly<Record<Name, string>>;
  readonly section: (answers: Readonly<Record<Name, readonly ReportRow[]>>, scope: ReportScope) => SectionContent;
}
