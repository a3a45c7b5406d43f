import { barRows } from './bar-rows.ts';
import { measureNamed, statementAbout } from '../warehouse/measures.ts';
import { ask, conditionsOf, numberIn, numberOrNull, textIn, type Source } from './source.ts';
import { countOf, countText, partText, shareText } from './words.ts';

/** Shares of applications, as the catalogue names them, in the order in which an application gets so far. */
const steps = [
  ['answered', 'Answered'],
  ['invited', 'Invited'],
  ['interviewed', 'Interviewed'],
  ['hired', 'Hired'],
] as const;

/** How many of the applications of one span get how far. */
export const funnel: Source<'steps' | 'outcomes' | 'savedFirst'> = {
  statements: (scope) => ({
    steps: statementAbout(
      measureNamed('applications'),
      [],
      [
        'count(*) AS applied',
        ...steps.map(([name]) => `count(*) FILTER (${measureNamed(name).part ?? 'true'}) AS ${name}`),
      ],
      conditionsOf(measureNamed('applications'), scope),
    ),
    outcomes: ask(scope, 'applications', { by: 'outcome' }),
    savedFirst: ask(scope, 'applications_saved_first'),
  }),
  section({ steps: [counts], outcomes, savedFirst }) {
    const applied = numberIn(counts, 'applied');
    const outcome = (name: string): number =>
      numberIn(
        outcomes.find((row) => textIn(row, 'outcome') === name),
        'rows',
      );
    const shown = [['applied', 'Applied'], ...steps] as const;
    const bars = shown.map(([name]) => {
      const value = numberIn(counts, name);
      return { value, text: `${countText(value)} · ${shareText(value, applied)}` };
    });
    const labels = shown.map(([, label]) => label);
    return {
      id: 'funnel',
      title: 'What became of the applications',
      finding:
        applied === 0
          ? 'Nobody applied in the span.'
          : `Of ${countOf(applied, 'application')}, ${countText(outcome('hired'))} (${shareText(outcome('hired'), applied)}) ` +
            `led to a hire; ${countText(outcome('open'))} are still open, ${countText(outcome('rejected'))} were rejected and ` +
            `${countText(outcome('closed'))} closed with their posting. ` +
            `${partText(numberOrNull(savedFirst[0], 'applications_saved_first'))} were for a posting that the professional had saved first.`,
      picture:
        applied === 0 ? null : (width) => barRows(labels, [{ heading: null, tone: 'first', bars }], width),
      legend: [],
      table: {
        caption: 'Applications made in the span, by how far they came since',
        columns: ['Step', 'Applications', 'Of applied'],
        rows: shown.map(([name, label]) => [
          label,
          countText(numberIn(counts, name)),
          shareText(numberIn(counts, name), applied),
        ]),
      },
      note:
        'One cohort: the applications that were made in the span, whenever the rest happened. An application counts for ' +
        'every step that it reached, whatever became of it; a hire needs no interview.',
    };
  },
};
