import { isCountry } from '../domain/phone-number.ts';
import { configFault } from './config-error.ts';
import { entriesOf, quote, type Variables } from './values.ts';

/** Countries by ISO 3166-1 alpha-2, comma-separated. */
export const readCountries = (variables: Variables, name: string): readonly string[] => {
  const text = variables(name);
  if (text === undefined) return [];
  return entriesOf(text).map(({ entry, place }) => {
    if (!isCountry(entry))
      throw configFault(
        name,
        `${place} is ${quote(entry)}`,
        'countries by ISO 3166-1 alpha-2 in capitals, such as US,CA, comma-separated; none: all',
      );
    return entry;
  });
};
