import type { Bound } from '../figure.ts';
import type { Spread } from '../statistics.ts';
import type { Outcome } from '../targets.ts';

/** A number with so many digits after the point, thousands apart. */
export const formatNumber = (value: number, digits: number): string =>
  value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** A number whose size is not known before: three significant digits, or all before the point. */
export const formatRatio = (value: number): string =>
  formatNumber(value, value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3);

/** The median, and in brackets the least and the most, where they differ in what is shown. */
export const formatSpread = ({ median, least, most }: Spread, format: (value: number) => string): string =>
  format(least) === format(most) ? format(median) : `${format(median)} (${format(least)}–${format(most)})`;

export const formatRounds = (rounds: number): string => (rounds === 1 ? '1 round' : `${rounds} rounds`);

export const formatBound = (bound: Bound): string =>
  'atLeast' in bound ? `at least ${bound.atLeast}` : `at most ${bound.atMost}`;

/** `met`, or by how much of the bound it was missed. */
export const formatOutcome = (outcome: Outcome | undefined): string => {
  if (!outcome) return 'not measured';
  if (outcome.isMet) return 'met';
  const percent = outcome.missedBy * 100;
  return `missed by ${formatNumber(percent, percent < 10 ? 1 : 0)} %`;
};
