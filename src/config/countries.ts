import { isSupportedCountry } from '../domain/libphonenumber.ts';
import { commaSeparatedEntries, quote, type VariableReader } from './values.ts';

const ALLOWED = 'countries by ISO 3166-1 alpha-2 in capitals, such as US,CA, comma-separated; none: all';

/** Countries by ISO 3166-1 alpha-2, comma-separated. */
export const readCountries = (variables: VariableReader, name: string): readonly string[] => {
  const text = variables.get(name);
  if (text === undefined) return [];
  const entries = commaSeparatedEntries(text);
  for (const { entry, place } of entries)
    if (!isSupportedCountry(entry)) variables.refuse(name, `${place} is ${quote(entry)}`, ALLOWED);
  return entries.map(({ entry }) => entry);
};
