import type { FigureGroup } from '../figure.ts';
import type { GroupResult } from '../results.ts';
import { spreadOf } from '../statistics.ts';
import { verdictsOf } from '../targets.ts';
import { formatBound, formatNumber, formatOutcome, formatRatio, formatSpread } from './format.ts';

export interface Table {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** What each contender measured: the median of the rounds, and the least and the most. */
export const measuredTable = ({ measures }: FigureGroup, { figures }: GroupResult): Table => ({
  headings: ['figure', 'contender', ...measures.map(({ title }) => title)],
  rows: figures.flatMap(({ name, contenders }) =>
    contenders.map((contender, index) => [
      index === 0 ? name : '',
      contender.name,
      ...measures.map(({ name: measure, digits }) => {
        const values = contender.samples.flatMap((sample) => sample[measure] ?? []);
        return values.length === 0
          ? ''
          : formatSpread(spreadOf(values), (value) => formatNumber(value, digits));
      }),
    ]),
  ),
});

/** Each target with what was measured, and by how much it is missed. No rows where there are no targets. */
export const targetTable = ({ figures }: GroupResult): Table => ({
  headings: ['figure', 'target', 'measured', 'must be', 'outcome', 'aim', 'outcome'],
  rows: figures.flatMap((figure) =>
    verdictsOf(figure).map(({ target, value, must, aim }, index) => [
      index === 0 ? figure.name : '',
      target.says,
      value ? formatSpread(value, formatRatio) : '',
      formatBound(target.must),
      formatOutcome(must),
      ...(target.aim ? [formatBound(target.aim), formatOutcome(aim)] : ['', '']),
    ]),
  ),
});
