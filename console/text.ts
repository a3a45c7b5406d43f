/** A value of a row or an event, in one line. */
export const valueText = (value: unknown): string =>
  value === undefined || value === null ? '–' : typeof value === 'string' ? value : JSON.stringify(value);

/** `1 event`, `1,000 events`. */
export const countText = (count: number, thing: string): string =>
  `${count.toLocaleString()} ${thing}${count === 1 ? '' : 's'}`;
