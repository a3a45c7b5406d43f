import type { Moment } from '../moment/moment.ts';
import { literal } from '../warehouse/duckdb.ts';
import {
  columnOf,
  measureNamed,
  statementOf,
  type Measure,
  type MeasureOptions,
} from '../warehouse/measures.ts';
import type { Section } from './section.ts';

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

/** A member that is a number; 0 for none. */
export const numberIn = (row: ReportRow | undefined, name: string): number => Number(row?.[name] ?? 0);
/** A member that is a number, or null. */
export const numberOrNull = (row: ReportRow | undefined, name: string): number | null => {
  const value = row?.[name];
  return value === undefined || value === null ? null : Number(value);
};
/** A member that is a text; empty for none. */
export const textIn = (row: ReportRow | undefined, name: string): string => {
  const value = row?.[name];
  return typeof value === 'string' ? value : '';
};

/** When what is counted began; undefined: with the event log. */
export const sinceOf = ({ from }: Pick<ReportScope, 'from'>): string | undefined =>
  from?.at ?? from?.recordedAt ?? undefined;

/** A time as a literal of SQL. */
export const timeLiteral = (time: string): string => `TIMESTAMPTZ ${literal(time)}`;

/** Conditions of SQL for the postings that a report is about. */
export const postingConditions = (
  measure: Measure,
  { profession, state }: ReportScope,
): readonly string[] => [
  ...(profession === undefined ? [] : [`${columnOf(measure, 'profession')} = ${literal(profession)}`]),
  ...(state === undefined ? [] : [`upper(${columnOf(measure, 'place')}) = upper(${literal(state)})`]),
];

/** Conditions of SQL for the rows of a measure that a report is about. */
export const conditionsOf = (measure: Measure, scope: ReportScope): readonly string[] => {
  const since = sinceOf(scope);
  return [
    ...(since === undefined ? [] : [`${measure.at} > ${timeLiteral(since)}`]),
    ...postingConditions(measure, scope),
  ];
};

/** The statement of a measure, for what a report is about. */
export const ask = (scope: ReportScope, name: string, options: MeasureOptions = {}): string => {
  const measure = measureNamed(name);
  return statementOf(measure, options, conditionsOf(measure, scope));
};

/** A part of a report: what it asks the warehouse, and what it says of the answers. */
export interface Source<Name extends string = string> {
  readonly statements: (scope: ReportScope) => Readonly<Record<Name, string>>;
  readonly section: (answers: Readonly<Record<Name, readonly ReportRow[]>>, scope: ReportScope) => Section;
}
