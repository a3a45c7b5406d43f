import { dayOrInstant } from '../domain/instant.ts';
import { literal } from '../history/warehouse/duckdb.ts';
import {
  groupingsOf,
  measures,
  statementOf,
  type Measure,
  type MeasureOptions,
} from '../history/warehouse/measures.ts';
import { runSql, type SqlOptions } from './history-sql.ts';
import { CliError } from './parts/cli-error.ts';
import type { From } from './parts/from.ts';
import { print } from './parts/print.ts';
import { tableLines } from './parts/table.ts';
import type { Terminal } from './parts/terminal.ts';

export interface AskOptions extends SqlOptions, MeasureOptions {
  readonly from?: From;
  readonly to?: string;
}

const listMeasures = ({ stdout }: Terminal): void =>
  print(
    stdout,
    tableLines(
      {
        headings: ['measure', 'unit', 'by', 'meaning'],
        rows: measures.map((measure) => [
          measure.name,
          measure.unit,
          Object.keys(groupingsOf(measure)).join(', '),
          measure.meaning,
        ]),
        rightAligned: [],
      },
      stdout,
    ),
  );

/** @throws CliError for a name that is not known, with those that are */
const measureOf = (name: string, by: string | undefined): Measure => {
  const measure = measures.find((each) => each.name === name);
  if (!measure)
    throw new CliError(
      `There is no measure ${name}; there are ${measures.map((each) => each.name).join(', ')}`,
    );
  const groupings = Object.keys(groupingsOf(measure));
  if (by !== undefined && !groupings.includes(by))
    throw new CliError(`${name} cannot be grouped by ${by}; it can by ${groupings.join(', ')}`);
  return measure;
};

const utcOf = (text: string): string => dayOrInstant(text, 'The time');
const isDay = (text: string): boolean => !/t/i.test(text);

/** A day as it is written, which is the place's; a time in UTC, since DuckDB reads less than RFC 3339 allows. */
const asRead = (text: string): string => (isDay(text) ? text : utcOf(text));

/** `hiring history ask`: answers a measure of the catalogue from the warehouse, or lists the catalogue. */
export const ask = async (
  terminal: Terminal,
  name: string | undefined,
  options: AskOptions,
): Promise<void> => {
  if (name === undefined) {
    listMeasures(terminal);
    return;
  }
  const { by, cohort, from, to } = options;
  const measure = measureOf(name, by);
  const after = from?.moment;
  // A day and a time are compared by the database alone, which knows the place.
  if (after !== undefined && to !== undefined && isDay(after) === isDay(to) && utcOf(after) >= utcOf(to))
    throw new CliError(`--from ${after} is not before --to ${to}`);
  const conditions = [
    ...(after === undefined ? [] : [`${measure.at} >= TIMESTAMPTZ ${literal(asRead(after))}`]),
    ...(to === undefined ? [] : [`${measure.at} < TIMESTAMPTZ ${literal(asRead(to))}`]),
  ];
  const statement = statementOf(measure, { by, cohort }, conditions);
  await runSql(terminal, statement, options);
  print(terminal.stderr, [`hiring: ${measure.meaning} Unit: ${measure.unit}.`, ...statement.split('\n')]);
};
