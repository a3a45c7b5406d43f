import { parsePhoneNumberFromString, type PhoneNumber, type PhoneNumberType } from './libphonenumber.ts';
import { invalidAt } from '../errors/domain-error.ts';

/** A message to one of these earns its holder money, or costs several times a usual one. */
const COSTLY_TYPES: readonly (PhoneNumberType | undefined)[] = ['PREMIUM_RATE', 'SHARED_COST'];
/**
 * Calling codes without a country that cost as much: satellites (870, 881), networks of which some are satellites (882,
 * 883), shared cost (808), premium rate (979). ITU-T, List of Recommendation ITU-T E.164 assigned country codes.
 */
const COSTLY_CALLING_CODES: readonly string[] = ['808', '870', '881', '882', '883', '979'];

/** What is pasted along with a number: white space and format characters, and `tel:` (RFC 3966) without parameters. */
const ENDS = /^[\p{White_Space}\p{Cf}]+|[\p{White_Space}\p{Cf}]+$/gu;
const SCHEME = /^tel:(?!.*;)/is;

const parse = (text: string, place: string): PhoneNumber => {
  const number = parsePhoneNumberFromString(text.replace(ENDS, '').replace(SCHEME, '').replace(ENDS, ''), {
    defaultCountry: 'US',
    extract: false,
  });
  if (!number?.isPossible() || number.ext)
    throw invalidAt(place, 'must be a phone number, best with its country code: +14155550123');
  return number;
};

const isCostly = (number: PhoneNumber): boolean =>
  COSTLY_CALLING_CODES.includes(number.countryCallingCode) || COSTLY_TYPES.includes(number.getType());

/** Empty for all countries. The country of a number that is not assigned is not always known. */
const isWithin = ({ country }: PhoneNumber, countries: readonly string[]): boolean =>
  countries.length === 0 || (country !== undefined && countries.includes(country));

/**
 * A phone number in E.164. Without a country code it is read as one of the United States, where the offices are.
 *
 * @param place named in the 400 for a text that cannot be a number
 */
export const toE164 = (text: string, place: string): string => parse(text, place).number;

/**
 * The number, in E.164, that a user gives as a new one of the user's own (decisions, 4.1).
 *
 * @param place named in the 400 for a text that cannot be a number, a number of premium rate, shared cost or a
 *   satellite, or one of another country
 * @param countries by ISO 3166-1 alpha-2; empty: all
 */
export const parseAllowedPhoneNumber = (text: string, place: string, countries: readonly string[] = []): string => {
  const number = parse(text, place);
  if (isCostly(number)) throw invalidAt(place, 'must not be a premium-rate, shared-cost or satellite number');
  if (!isWithin(number, countries))
    throw invalidAt(place, `must be a number of one of the countries ${countries.join(', ')}`);
  return number.number;
};

/**
 * Whether messages go to an E.164 number, which may come from a profile. @param countries as of
 * `parseAllowedPhoneNumber`
 */
export const isTextable = (e164: string, countries: readonly string[]): boolean => {
  const number = parsePhoneNumberFromString(e164);
  return number !== undefined && !isCostly(number) && isWithin(number, countries);
};
