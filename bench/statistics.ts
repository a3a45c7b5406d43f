/** The middle of several measurements, and how far they lie apart. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** @throws RangeError without a value */
export const spreadOf = (values: readonly number[]): Spread => {
  const sorted = values.toSorted((a, b) => a - b);
  const [least] = sorted;
  const most = sorted.at(-1);
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  const upper = sorted[Math.ceil((sorted.length - 1) / 2)];
  if (least === undefined || most === undefined || lower === undefined || upper === undefined)
    throw new RangeError('There is no median of no values');
  return { median: (lower + upper) / 2, least, most };
};

/** @throws RangeError without a value */
export const medianOf = (values: readonly number[]): number => spreadOf(values).median;
