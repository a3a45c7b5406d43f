/** How a report writes numbers, in the same way on every machine. */

const WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** 12,345 */
export const countText = (count: number): string => WHOLE.format(count);

/** 1 posting, 12,345 postings */
export const countWithNoun = (count: number, noun: string): string =>
  `${countText(count)} ${noun}${count === 1 ? '' : 's'}`;

/** 12%, or 0.4% where it is less than one; a dash for a share of nothing. */
export const percentOfTotalText = (count: number, of: number): string => {
  if (of === 0) return '–';
  const percent = (count / of) * 100;
  return `${percent > 0 && percent < 1 ? percent.toFixed(1) : percent.toFixed(0)}%`;
};

const HOURS = 24;

/** 5 hours, or 3.2 days; a dash where nothing is known. */
export const durationText = (days: number | null): string => {
  if (days === null) return '–';
  return days < 1 ? countWithNoun(Math.floor(days * HOURS), 'hour') : `${days.toFixed(1)} days`;
};

/** 2 March 2026, of an RFC 3339 time or a day. */
export const dateText = (time: string, timeZone = 'UTC'): string =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone }).format(new Date(time));

const DAY_OF_YEAR = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** 2 Mar */
export const dayOfYearText = (time: Date): string => DAY_OF_YEAR.format(time);

const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' });

/** Mar 2026, of a day in it. */
export const monthText = (day: string): string => MONTH.format(new Date(day));

/** A share (0 to 1) as `percentOfTotalText` writes one; a dash where there is none. */
export const percentText = (share: number | null): string => (share === null ? '–' : percentOfTotalText(share, 1));

/** As much of a name as there is room for. */
export const shortenedName = (name: string, most: number): string =>
  name.length <= most ? name : `${name.slice(0, most - 1).trimEnd()}…`;

export const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

/** a, b and c */
export const joinedInWords = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`;
