/** What several of the examples count with. */

const HOUR_MS = 3_600_000;

/** To one decimal. */
const rounded = (number: number): number => Math.round(number * 10) / 10;

/** Hours from one time to another. */
export const hoursBetween = (from: string, to: string): number =>
  rounded((Date.parse(to) - Date.parse(from)) / HOUR_MS);

/** Days from one time to another. */
export const daysBetween = (from: string, to: string): number =>
  rounded((Date.parse(to) - Date.parse(from)) / HOUR_MS / 24);

/** The number in the middle, of an even count between the two in the middle; null of none. */
export const median = (numbers: readonly number[]): number | null => {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? null : rounded((low + high) / 2);
};

/** The greatest number; null of none. */
export const greatest = (numbers: readonly number[]): number | null =>
  numbers.reduce<number | null>((before, each) => Math.max(before ?? each, each), null);

/** The value of a key, which is made where it is not there yet. */
export const valueOf = <Value>(values: Map<string, Value>, key: string, make: () => Value): Value => {
  const value = values.get(key) ?? make();
  values.set(key, value);
  return value;
};
