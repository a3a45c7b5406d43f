const UNITS = ['kB', 'MB', 'GB', 'TB'];
/** From here on a value is rounded to a thousand. */
const THOUSAND = 999.95;

/** A number of bytes, as people read it: `4.1 kB`, `19.2 MB`, `1.0 GB`. */
export const byteSizeText = (bytes: number): string => {
  let [value, unit] = [bytes / 1_000, 0];
  for (; value >= THOUSAND && unit < UNITS.length - 1; unit++) value /= 1_000;
  return `${value.toFixed(1)} ${UNITS[unit] ?? ''}`;
};
