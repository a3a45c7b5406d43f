import { cpus, totalmem } from 'node:os';
import { createContext, type Settings } from './context.ts';
import type { FigureGroup } from './figure.ts';
import { formatRatio } from './report/format.ts';
import type { Conditions, FigureResult, GroupResult } from './results.ts';
import { measureFigure } from './rounds.ts';

const conditionsOf = ({ events }: Settings, figures: readonly FigureResult[]): Conditions => ({
  measuredOn: new Date().toISOString().slice(0, 10),
  events,
  rounds: Math.min(...figures.flatMap(({ contenders }) => contenders.map(({ samples }) => samples.length))),
  cores: cpus().length,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  platform: `${process.platform} ${process.arch}`,
  node: process.version,
});

/**
 * Measures all figures of a group.
 *
 * @throws Error when a figure could not be measured
 */
export const runGroup = async (
  group: FigureGroup,
  settings: Settings,
  places: { readonly cache: string; readonly scratch: string },
  say: (text: string) => void,
): Promise<GroupResult> => {
  const { context, end } = createContext(settings, places, say);
  const figures: FigureResult[] = [];
  for await (const figure of group.figures(context))
    figures.push(
      await measureFigure(figure, settings.rounds, (name, contender, round, sample) => {
        const values = group.measures.flatMap(({ name: measure, title }) => {
          const value = sample[measure];
          return value === undefined ? [] : `${formatRatio(value)} ${title}`;
        });
        const when = round === 0 ? 'warm-up' : `round ${round}`;
        say(`${group.name} | ${name} | ${when} | ${contender}: ${values.join('; ')}`);
      }),
    );
  // After a failure the caller kills what is left: nothing is to hide what went wrong.
  await end();
  return { name: group.name, conditions: conditionsOf(settings, figures), figures };
};
