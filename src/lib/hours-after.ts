/** A point in time, so many hours later, in RFC 3339. */
export const hoursAfter = (time: string, hours: number): string =>
  new Date(Date.parse(time) + hours * 3_600_000).toISOString();
