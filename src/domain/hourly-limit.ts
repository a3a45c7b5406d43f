import { minutesAfter } from './one-time-codes.ts';

/**
 * Seconds until there may be another one after those of the given times, so many an hour; 0 is now. A time of more than
 * an hour ahead does not count: the clock has been set back since, which must not keep a user out until then.
 */
export const secondsUntilAllowed = (times: readonly string[], maxPerHour: number, now: string): number => {
  const hourAgo = minutesAfter(now, -60);
  const inAnHour = minutesAfter(now, 60);
  const recent = times.filter((at) => at > hourAgo && at <= inAnHour).sort();
  const oldest = recent.at(-maxPerHour);
  return oldest === undefined ? 0 : Math.ceil((Date.parse(oldest) - Date.parse(hourAgo)) / 1_000);
};
