/** Whether a text names a time zone, like America/Denver. */
export const isTimeZone = (text: string): boolean =>
  text === 'UTC' || Intl.supportedValuesOf('timeZone').includes(text);
