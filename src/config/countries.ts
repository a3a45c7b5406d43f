import { isSupportedCountry } from '../domain/libphonenumber.ts';
import { readList, type VariableReader } from './values.ts';

const ALLOWED = 'countries by ISO 3166-1 alpha-2 in capitals, such as US,CA, comma-separated; none: all';

/** Countries by ISO 3166-1 alpha-2, comma-separated. */
export const readCountries = (variables: VariableReader, name: string): readonly string[] =>
  readList(variables, name, (entry) => (isSupportedCountry(entry) ? entry : undefined), ALLOWED);
