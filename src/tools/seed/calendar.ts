import { whole, type Random } from './random.ts';

/** How many days of history a world has. */
export const DAYS = 90;
/** People and offices come first; postings follow, and leave the last days for applications. */
export const FIRST_POSTING_DAY = 20;
export const LAST_POSTING_DAY = 84;

export const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** The parts of a day, in order, in hours UTC. An act may need acts of earlier parts, and none of its own part. */
const hours = {
  records: [12, 14],
  postings: [14, 15],
  acts: [15, 23],
  codeIssued: [23, 23.05],
  codeAnswered: [23.1, 23.15],
  phoneChanged: [23.2, 23.25],
  closings: [23.5, 24],
} as const;
export type Part = keyof typeof hours;
export const parts = [
  'records',
  'postings',
  'acts',
  'codeIssued',
  'codeAnswered',
  'phoneChanged',
  'closings',
] as const;

/** Milliseconds since 1970 of a moment in a part of a day; day 0 is the first of `DAYS` days that end at `now`. */
export const momentIn = (now: number, day: number, part: Part, random: Random): number => {
  const [from, to] = hours[part];
  return now + (day - DAYS) * DAY_MS + whole(random, from * HOUR_MS, to * HOUR_MS - 1);
};

const HALF_HOUR_MS = HOUR_MS / 2;
const [FIRST_INTERVIEW, LAST_INTERVIEW] = [28, 44];

/** A time for an interview: a full or half hour of a day, in working hours. */
export const interviewIn = (now: number, day: number, random: Random): string => {
  const halfHours = whole(random, FIRST_INTERVIEW, LAST_INTERVIEW);
  return new Date(now + (day - DAYS) * DAY_MS + halfHours * HALF_HOUR_MS).toISOString();
};
