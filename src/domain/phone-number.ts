import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { invalid } from '../errors/domain-error.ts';

/**
 * A phone number in E.164. Without a country code it is read as one of the United States, where the offices are.
 *
 * @param place named in the 400 for a text that cannot be a number
 */
export const toE164 = (text: string, place: string): string => {
  const number = parsePhoneNumberFromString(text, { defaultCountry: 'US', extract: false });
  if (!number?.isPossible() || number.ext)
    throw invalid(`${place} must be a phone number, best with its country code: +14155550123`);
  return number.number;
};
