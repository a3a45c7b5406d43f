/** Names of IANA's database are written so; an offset, or a name in other letters, is none that DuckDB knows. */
const NAME = /^[A-Z][A-Za-z_]+(?:\/[A-Z][A-Za-z0-9_+-]*)+$/;

/** Whether a text names a time zone, like America/Denver, or is a link to one, like Asia/Kolkata. */
export const isTimeZone = (text: string): boolean => {
  if (text === 'UTC') return true;
  if (!NAME.test(text)) return false;
  try {
    Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
};
