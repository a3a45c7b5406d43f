import { invalidAt } from '../errors/domain-error.ts';

/** RFC 3339, 5.6: date-time, with the lower-case letters and the leap second that it allows. */
const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

/**
 * A point in time in UTC, with milliseconds; finer fractions are cut off. A leap second becomes the first moment after
 * it, since POSIX time has none.
 *
 * @param place named in the 400 for a text that is no RFC 3339 date-time
 */
export const parseTimestamp = (text: string, place: string): string => {
  const refuse = () => invalidAt(place, 'must be an RFC 3339 date-time, like 2026-03-01T09:30:00Z');
  const match = DATE_TIME.exec(text);
  if (!match) throw refuse();
  const [, year = '', month = '', day = '', hour = '', minute = '', second = '', fraction = '', offset = ''] = match;
  const isLeap = second === '60';
  const daysInMonth = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
  if (Number(day) > daysInMonth) throw refuse();
  const milliseconds = isLeap ? '.000' : fraction.slice(0, 4).padEnd(fraction ? 4 : 0, '0');
  const time = Date.parse(
    `${year}-${month}-${day}T${hour}:${minute}:${isLeap ? '59' : second}${milliseconds}${offset.toUpperCase()}`,
  );
  const instant = time + (isLeap ? 1_000 : 0);
  if (Number.isNaN(time) || hour === '24') throw refuse();
  const iso = new Date(instant).toISOString();
  // An offset can push a time out of the four-digit years.
  if (iso.length !== 24) throw refuse();
  return iso;
};

/** The same for a text that may be a day, which stands for its first moment in UTC. @throws DomainError */
export const parseDayOrTimestamp = (text: string, place: string): string =>
  parseTimestamp(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text, place);
