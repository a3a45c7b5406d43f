/** How many durations there are of each number of whole hours: as small for a million as for a thousand. */
export type HourCounts = ReadonlyMap<number, number>;

const HOUR_MS = 3_600_000;
/** Hours of a day. */
export const DAY = 24;
export const DAY_MS = DAY * HOUR_MS;

/** The day of a time in milliseconds since 1970, in UTC: 2026-03-02. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 'yyyy-mm-dd'.length);

/** Whole hours between two times in milliseconds; machines have clocks of their own, so none for a negative one. */
export const hoursBetween = (from: number, until: number): number =>
  Math.max(0, Math.floor((until - from) / HOUR_MS));

/** Counts one duration. */
export const countHours = (counts: Map<number, number>, hours: number): void => {
  counts.set(hours, (counts.get(hours) ?? 0) + 1);
};

export const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

/** How many durations there are, of whatever length. */
export const sumOf = (counts: HourCounts): number => sum([...counts.values()]);

/** The hours within which a share (0 to 1) of the durations lies; undefined where there are none. */
export const quantile = (counts: HourCounts, share: number): number | undefined => {
  const sorted = [...counts].sort(([a], [b]) => a - b);
  const wanted = Math.max(1, Math.ceil(sumOf(counts) * share));
  let seen = 0;
  return sorted.find(([, count]) => (seen += count) >= wanted)?.[0];
};
