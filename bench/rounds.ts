import type { Figure, Sample } from './figure.ts';
import type { FigureResult } from './results.ts';

/** Told of each measurement as it is made; the warm-up is round 0. */
export type OnSample = (figure: string, contender: string, round: number, sample: Sample) => void;

/**
 * Measures the contenders of a figure in turns, and backwards in every other round: what the machine does meanwhile
 * happens to all of them.
 */
export const measureFigure = async (
  figure: Figure,
  rounds: number,
  onSample: OnSample = () => undefined,
): Promise<FigureResult> => {
  const entries = figure.contenders.map((contender) => ({ contender, samples: [] as Sample[] }));
  for (let round = figure.warmsUp ? 0 : 1; round <= (figure.rounds ?? rounds); round++)
    for (const { contender, samples } of round % 2 === 0 ? entries.toReversed() : entries) {
      const sample = await contender.measure();
      if (round > 0) samples.push(sample);
      onSample(figure.name, contender.name, round, sample);
    }
  return {
    name: figure.name,
    contenders: entries.map(({ contender: { name }, samples }) => ({ name, samples })),
    targets: [...figure.targets],
    lines: [...(figure.lines?.() ?? [])],
  };
};
