import { answerBins, beginBins } from './bins.ts';
import { countHours, hoursBetween } from './durations.ts';
import type { AnswerTimes } from './figures.ts';
import type { Application } from './posting-story.ts';

/** Adds up how long applications wait for an answer. */
export const beginAnswers = () => {
  const hours = new Map<number, number>();
  const applications = beginBins(answerBins);
  const byOffice = new Map<string, ReturnType<typeof beginBins>>();
  let [waiting, closed] = [0, 0];

  const binsOf = (officeId: string) => {
    const bins = byOffice.get(officeId) ?? beginBins(answerBins);
    byOffice.set(officeId, bins);
    return bins;
  };

  return {
    /** @param officeId undefined where the office is not known */
    add({ applied, answered, outcome }: Application, officeId: string | undefined): void {
      if (!answered) {
        if (outcome === 'closed') closed++;
        else waiting++;
        return;
      }
      const took = hoursBetween(applied.at, answered.at);
      countHours(hours, took);
      applications.add(took);
      if (officeId !== undefined) binsOf(officeId).add(took);
    },
    figures(): AnswerTimes {
      const offices = answerBins.map(() => 0);
      for (const bins of byOffice.values()) {
        const median = bins.median();
        if (median !== undefined) offices[median] = (offices[median] ?? 0) + 1;
      }
      return { hours, applications: applications.counts, offices, waiting, closed };
    },
  };
};
