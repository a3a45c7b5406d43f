import { DAY_MS, dayOf } from './durations.ts';
import type { Week } from './figures.ts';

/** The Monday, in UTC, of the week of a time in milliseconds since 1970. */
const mondayOf = (at: number): string => dayOf(at - ((new Date(at).getUTCDay() + 6) % 7) * DAY_MS);

/** Adds up what happened in each week. */
export const beginWeeks = () => {
  const weeks = new Map<string, { applications: number; hires: number }>();
  return {
    add(at: number, what: 'applications' | 'hires'): void {
      const monday = mondayOf(at);
      const week = weeks.get(monday) ?? { applications: 0, hires: 0 };
      weeks.set(monday, { ...week, [what]: week[what] + 1 });
    },
    figures: (): readonly Week[] =>
      [...weeks]
        .map(([monday, week]) => ({ monday, ...week }))
        .sort((a, b) => (a.monday < b.monday ? -1 : 1)),
  };
};
