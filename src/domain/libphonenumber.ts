/** What reads phone numbers. The build puts its many modules into this file's one, as it does for TypeBox. */
export {
  isSupportedCountry,
  parsePhoneNumberFromString,
  type PhoneNumber,
  type PhoneNumberType,
} from 'libphonenumber-js/max';
