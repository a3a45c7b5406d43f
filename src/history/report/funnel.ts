import type { Figures } from './figures.ts';
import type { Step } from './posting-story.ts';
import type { Section } from './section.ts';
import { barRows } from './bar-rows.ts';
import { countOf, countText, shareText } from './words.ts';

export const stepNames: Readonly<Record<Step, string>> = {
  applied: 'Applied',
  scheduled: 'Invited',
  interviewed: 'Interviewed',
  hired: 'Hired',
};

/** How many saved postings and applications get how far. */
export const funnel = ({ saves, applications, outcomes, funnel: steps }: Figures): Section => {
  const savedFirst = steps[0]?.savedFirst ?? 0;
  const finding =
    `Of ${countOf(applications, 'application')}, ${countText(outcomes.hired)} (${shareText(outcomes.hired, applications)}) ` +
    `led to a hire; ${countText(outcomes.open)} are still open, ${countText(outcomes.rejected)} were rejected and ` +
    `${countText(outcomes.closed)} closed with their posting. ` +
    `${countText(savedFirst)} (${shareText(savedFirst, applications)}) were for a posting that the professional had saved first.`;
  const labels = ['Saved', ...steps.map(({ step }) => stepNames[step])];
  const bars = [
    { value: saves, part: saves, text: countText(saves) },
    ...steps.map(({ all, savedFirst: part }) => ({
      value: all,
      part,
      text: `${countText(all)} · ${shareText(all, applications)}`,
    })),
  ];
  return {
    id: 'funnel',
    title: 'From save to hire',
    finding,
    picture:
      saves + applications === 0
        ? null
        : (width) => barRows(labels, [{ heading: null, tone: 'first', bars }], width),
    legend: [
      { swatch: 'first', text: 'saved first' },
      { swatch: 'first pale', text: 'not saved before' },
    ],
    table: {
      caption: 'Applications by how far they came',
      columns: ['Step', 'All', 'Of applied', 'Saved first'],
      rows: [
        ['Saved', countText(saves), '–', countText(saves)],
        ...steps.map(({ step, all, savedFirst: part }) => [
          stepNames[step],
          countText(all),
          shareText(all, applications),
          countText(part),
        ]),
      ],
    },
    note:
      'Saved counts each posting once for each professional who saved it. An application counts for every step that it ' +
      'reached, whatever became of it; a hire needs no interview.',
  };
};
