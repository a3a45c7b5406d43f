import { measureNamed } from '../warehouse/measures.ts';
import { barChart } from './bar-chart.ts';
import { toNumberTable } from './section-markup.ts';
import {
  scopedMeasureStatement,
  numberIn,
  createShareFormatter,
  textIn,
  type ReportSection,
} from './report-section.ts';
import { countWithNoun, countText, shareText } from './words.ts';

/** Shares of applications, as the catalogue names them, in the order in which an application gets so far. */
const steps = [
  ['answered', 'Answered'],
  ['invited', 'Invited'],
  ['interviewed', 'Interviewed'],
  ['hired', 'Hired'],
] as const;

/** How many of the applications of one span get how far. */
export const funnelSection: ReportSection<'steps' | 'outcomes'> = {
  statements: (scope) => ({
    steps: scopedMeasureStatement(
      scope,
      'applications_saved_first',
      {},
      steps.map(([name]) => `count(*) FILTER (${measureNamed(name).part ?? 'true'}) AS ${name}`),
    ),
    outcomes: scopedMeasureStatement(scope, 'applications', { by: 'outcome' }),
  }),
  section({ steps: [counts], outcomes }) {
    const all = numberIn(counts, 'rows');
    const outcome = (name: string): number =>
      numberIn(
        outcomes.find((row) => textIn(row, 'outcome') === name),
        'rows',
      );
    const rows = [['rows', 'Applied'], ...steps].map(([name = '', label = '']) => {
      const count = numberIn(counts, name);
      return { label, count, countText: countText(count), share: shareText(count, all) };
    });
    const labelOf = ({ label }: (typeof rows)[number]): string => label;
    return {
      id: 'funnel',
      title: 'What became of the applications',
      finding:
        all === 0
          ? 'Nobody applied in the span.'
          : `Of ${countWithNoun(all, 'application')}, ${countText(outcome('hired'))} (${shareText(outcome('hired'), all)}) ` +
            `led to a hire; ${countText(outcome('open'))} are still open, ${countText(outcome('rejected'))} were rejected and ` +
            `${countText(outcome('closed'))} closed with their posting. ` +
            `${createShareFormatter('applications_saved_first')(counts)} were for a posting that the professional had saved first.`,
      picture: barChart(all === 0 ? [] : rows, labelOf, [
        { value: ({ count }) => count, text: (row) => `${row.countText} · ${row.share}` },
      ]),
      table: toNumberTable('Applications made in the span, by how far they came since', rows, {
        Step: labelOf,
        Applications: (row) => row.countText,
        'Of applied': ({ share }) => share,
      }),
      note:
        'One cohort: the applications that were made in the span, whenever the rest happened. An application counts for ' +
        'every step that it reached, whatever became of it; a hire needs no interview.',
    };
  },
};
