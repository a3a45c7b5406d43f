import type { FigureGroup } from '../figure.ts';
import type { FigureResult, GroupResult } from '../results.ts';
import { medianOf, spreadOf } from '../statistics.ts';
import { verdictsOf, type Outcome } from '../targets.ts';
import { formatBound, formatNumber, formatOutcome, formatRatio, formatSpread } from './format.ts';

export interface Table {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A group with more figures is shown by how far their medians lie apart. */
const MAX_FIGURES = 8;
/** Of more figures with the same targets, the targets are shown so. */
const MAX_ALIKE = 3;

const rowsOf = (measures: FigureGroup['measures'], { name, contenders }: FigureResult): string[][] =>
  contenders.map((contender, index) => [
    index === 0 ? name : '',
    contender.name,
    ...measures.map(({ name: measure, digits }) => {
      const values = contender.samples.flatMap((sample) => sample[measure] ?? []);
      return values.length === 0 ? '' : formatSpread(spreadOf(values), (value) => formatNumber(value, digits));
    }),
  ]);

/** Many figures as one, whose samples are their medians. */
const summaryOf = ({ measures }: FigureGroup, figures: readonly FigureResult[]): FigureResult => {
  const [first] = figures;
  const medians = (index: number) =>
    figures.map(({ contenders }) =>
      Object.fromEntries(
        measures.flatMap(({ name }) => {
          const values = contenders[index]?.samples.flatMap((sample) => sample[name] ?? []) ?? [];
          return values.length === 0 ? [] : [[name, medianOf(values)]];
        }),
      ),
    );
  return {
    name: `${figures.length} figures`,
    contenders: (first?.contenders ?? []).map(({ name }, index) => ({ name, samples: medians(index) })),
    targets: [],
    lines: [],
  };
};

/** What each contender measured: the median of the rounds, and the least and the most. */
export const measuredTable = (group: FigureGroup, { figures }: GroupResult): Table => ({
  headings: ['figure', 'contender', ...group.measures.map(({ title }) => title)],
  rows: (figures.length > MAX_FIGURES ? [summaryOf(group, figures)] : figures).flatMap((figure) =>
    rowsOf(group.measures, figure),
  ),
});

const areAlike = (figures: readonly FigureResult[]): boolean =>
  new Set(figures.map(({ targets }) => targets.map(({ says }) => says).join())).size === 1;

/** Each target of figures that have the same: how far the values lie apart, and how many of them miss it. */
const rowsOfAlike = (figures: readonly FigureResult[]): string[][] =>
  (figures[0]?.targets ?? []).map(({ says, must, aim }, index) => {
    const verdicts = figures.flatMap((figure) => verdictsOf(figure)[index] ?? []);
    const values = verdicts.flatMap(({ value }) => value?.median ?? []);
    const outcomeOf = (outcomes: readonly (Outcome | undefined)[]) => {
      const missed = outcomes.filter((outcome) => outcome?.isMet !== true).length;
      return missed === 0 ? 'met' : `missed by ${missed} of ${figures.length}`;
    };
    return [
      '',
      says,
      values.length === 0 ? '' : formatSpread(spreadOf(values), formatRatio),
      formatBound(must),
      outcomeOf(verdicts.map((verdict) => verdict.must)),
      ...(aim ? [formatBound(aim), outcomeOf(verdicts.map((verdict) => verdict.aim))] : ['', '']),
    ];
  });

/** A single figure is named by the table of what was measured. */
const rowsOfEach = (figures: readonly FigureResult[]): string[][] =>
  figures.flatMap((figure) =>
    verdictsOf(figure).map(({ target, value, must, aim }, index) => [
      index === 0 && figures.length > 1 ? figure.name : '',
      target.says,
      value ? formatSpread(value, formatRatio) : '',
      formatBound(target.must),
      formatOutcome(must),
      ...(target.aim ? [formatBound(target.aim), formatOutcome(aim)] : ['', '']),
    ]),
  );

/** Each target with what was measured, and by how much it is missed. No rows where there are no targets. */
export const targetTable = ({ figures }: GroupResult): Table => ({
  headings: ['figure', 'target', 'measured', 'must be', 'outcome', 'aim', 'outcome'],
  rows: figures.length > MAX_ALIKE && areAlike(figures) ? rowsOfAlike(figures) : rowsOfEach(figures),
});
