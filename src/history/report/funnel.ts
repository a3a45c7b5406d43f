import { requireMeasure } from '../warehouse/measures.ts';
import { createBarChartDrawer } from './bar-chart.ts';
import { toTableContent } from './section-markup.ts';
import {
  scopedMeasureStatement,
  numberMember,
  createShareColumnFormatter,
  textMember,
  type ReportSection,
} from './report-section.ts';
import { countWithNoun, countText, percentOfTotalText } from './words.ts';

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
      steps.map(([name]) => `count(*) FILTER (${requireMeasure(name).part ?? 'true'}) AS ${name}`),
    ),
    outcomes: scopedMeasureStatement(scope, 'applications', { by: 'outcome' }),
  }),
  section({ steps: [counts], outcomes }) {
    const all = numberMember(counts, 'rows');
    const outcome = (name: string): number =>
      numberMember(
        outcomes.find((row) => textMember(row, 'outcome') === name),
        'rows',
      );
    const rows = [['rows', 'Applied'], ...steps].map(([name = '', label = '']) => {
      const count = numberMember(counts, name);
      return { label, count, countText: countText(count), share: percentOfTotalText(count, all) };
    });
    const labelOf = ({ label }: (typeof rows)[number]): string => label;
    return {
      id: 'funnel',
      title: 'What became of the applications',
      finding:
        all === 0
          ? 'Nobody applied in the span.'
          : `Of ${countWithNoun(all, 'application')}, ${countText(outcome('hired'))} (${percentOfTotalText(outcome('hired'), all)}) ` +
            `led to a hire; ${countText(outcome('open'))} are still open, ${countText(outcome('rejected'))} were rejected and ` +
            `${countText(outcome('closed'))} closed with their posting. ` +
            `${createShareColumnFormatter('applications_saved_first')(counts)} were for a posting that the professional had saved first.`,
      picture: createBarChartDrawer(all === 0 ? [] : rows, labelOf, [
        { value: ({ count }) => count, text: (row) => `${row.countText} · ${row.share}` },
      ]),
      table: toTableContent('Applications made in the span, by how far they came since', rows, {
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
