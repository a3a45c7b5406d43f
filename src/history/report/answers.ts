import { answerBins } from './bins.ts';
import { quantile, sumOf } from './durations.ts';
import type { Figures } from './figures.ts';
import type { Section } from './section.ts';
import { countsByBin } from './bar-rows.ts';
import { countOf, countText, durationText } from './words.ts';

/** How long offices take to answer applications. */
export const answers = ({
  answers: { hours, applications, offices, waiting, closed },
}: Figures): Section => ({
  id: 'answers',
  title: 'How fast offices answer',
  finding:
    sumOf(hours) === 0
      ? `No application was answered; waiting: ${countText(waiting)}.`
      : `Half of the answers came within ${durationText(quantile(hours, 0.5))}, nine of ten within ` +
        `${durationText(quantile(hours, 0.9))}. Waiting: ${countOf(waiting, 'application')}; ` +
        `closed with their posting without an answer: ${countText(closed)}.`,
  ...countsByBin(
    answerBins,
    { Answers: applications, Offices: offices },
    { caption: 'Answers by the time that they took, and offices by their median', unit: 'Time' },
    { 'still waiting': waiting, 'closed without': closed },
  ),
  note:
    'An answer is the first change of an application by the office: an invitation, an interview held, a hire or a ' +
    'rejection. An office stands where the middle one of its answers does.',
});
