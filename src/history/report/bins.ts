import { DAY, sum } from './durations.ts';

/** A range of numbers under one name; it begins where the one before ends. */
export interface Bin {
  readonly name: string;
  /** Not within it. */
  readonly below: number;
}

/** Of hours, for answers. */
export const answerBins: readonly Bin[] = [
  { name: 'within a day', below: DAY },
  { name: '1 to 2 days', below: 2 * DAY },
  { name: '2 to 3 days', below: 3 * DAY },
  { name: '3 to 5 days', below: 5 * DAY },
  { name: '5 to 7 days', below: 7 * DAY },
  { name: '1 to 2 weeks', below: 14 * DAY },
  { name: '2 to 4 weeks', below: 28 * DAY },
  { name: 'over 4 weeks', below: Infinity },
];

/** Of miles along roads. */
export const distanceBins: readonly Bin[] = [
  { name: 'under 5 mi', below: 5 },
  { name: '5 to 10 mi', below: 10 },
  { name: '10 to 20 mi', below: 20 },
  { name: '20 to 30 mi', below: 30 },
  { name: '30 to 50 mi', below: 50 },
  { name: '50 to 100 mi', below: 100 },
  { name: 'over 100 mi', below: Infinity },
];

/** Counts numbers by the bins that they lie in. */
export const beginBins = (bins: readonly Bin[]) => {
  const counts = bins.map(() => 0);
  return {
    add(value: number): void {
      const at = bins.findIndex(({ below }) => value < below);
      counts[at] = (counts[at] ?? 0) + 1;
    },
    /** One for each bin. */
    counts: counts as readonly number[],
    /** Where the middle one of the numbers lies; undefined where there are none. */
    median(): number | undefined {
      const half = sum(counts) / 2;
      let seen = 0;
      const at = counts.findIndex((count) => count > 0 && (seen += count) >= half);
      return at < 0 ? undefined : at;
    },
  };
};
