import { resolveMeasure, groupingsOf, measures, type MeasureGrouping } from '../../history/warehouse/measures.ts';
import { runSql, type SqlOptions } from './sql.ts';
import type { FromOption } from '../parts/from-option.ts';
import { print } from '../parts/print.ts';
import { tableLines } from '../parts/table.ts';
import type { Terminal } from '../parts/terminal.ts';

export interface AskOptions extends SqlOptions, MeasureGrouping {
  readonly from?: FromOption;
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

/** `hiring history ask`: answers a measure of the catalogue from the warehouse, or lists the catalogue. */
export const askMeasure = async (terminal: Terminal, name: string | undefined, options: AskOptions): Promise<void> => {
  if (name === undefined) {
    listMeasures(terminal);
    return;
  }
  const { by, cohort, from, to } = options;
  const { measure, statement } = resolveMeasure({ name, by, cohort, from: from?.moment, to });
  await runSql(terminal, statement, options);
  print(terminal.stderr, [`hiring: ${measure.meaning} Unit: ${measure.unit}.`, ...statement.split('\n')]);
};
