import { answerBins } from './bins.ts';
import { quantile, sumOf } from './durations.ts';
import type { Figures } from './figures.ts';
import type { Section } from './section.ts';
import { barRows, shareColumn } from './bar-rows.ts';
import { countOf, countText, durationText } from './words.ts';

/** How long offices take to answer applications. */
export const answers = ({ answers: { hours, applications, offices, waiting, closed } }: Figures): Section => {
  const title = 'How fast offices answer';
  const answered = sumOf(hours);
  const finding =
    answered === 0
      ? `No application was answered; waiting: ${countText(waiting)}.`
      : `Half of the answers came within ${durationText(quantile(hours, 0.5))}, nine of ten within ` +
        `${durationText(quantile(hours, 0.9))}. Waiting: ${countOf(waiting, 'application')}; ` +
        `closed with their posting without an answer: ${countText(closed)}.`;
  return {
    id: 'answers',
    title,
    finding,
    picture:
      answered === 0
        ? null
        : (frame) =>
            barRows(
              frame,
              { title, description: finding },
              answerBins.map(({ name }) => name),
              [shareColumn('Answers', 'first', applications), shareColumn('Offices', 'second', offices)],
            ),
    legend: [],
    table: {
      caption: 'Answers by the time that they took, and offices by their median',
      columns: ['Time', 'Answers', 'Offices'],
      rows: [
        ...answerBins.map(({ name }, at) => [
          name,
          countText(applications[at] ?? 0),
          countText(offices[at] ?? 0),
        ]),
        ['still waiting', countText(waiting), '–'],
        ['closed without', countText(closed), '–'],
      ],
    },
    note:
      'An answer is the first change of an application by the office: an invitation, an interview held, a hire or a ' +
      'rejection. An office stands where the middle one of its answers does.',
  };
};
