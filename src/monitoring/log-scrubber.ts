import { isObject } from '../schema/json.ts';

/** Removes personal data and secrets from the application log: by a member's name, and by their look in any text. */

const REDACTED = '[redacted]';
/** How the names of members end that are never shown; compared without case, `-` and `_`. */
const NAMES = 'phone|phonenumber|mail|mailaddress|token|secret|password|authorization|apikey|cookie|jwt';
const SECRET_NAME = new RegExp(`(?:${NAMES})$`);
/** A failure's code, such as `ECONNREFUSED`: it is needed, and never a one-time code. */
const FAILURE_CODE = /^[A-Z]+(?:_[A-Z0-9]+)*$/;
/** Members whose six digits are an identifier, an address or a place in the event log. */
const HOLDS_NO_CODE = /^(?:time|path|actor|address|stream|position|revision|checkpoint)$|id$/i;

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const DATE = '\\d{4}-\\d{2}-\\d{2}';
// No quotation mark first: it belongs to the sentence. At most 64 characters (RFC 5321, 4.5.3.1.1) bound the search.
const LOCAL = "[\\p{L}\\p{N}.!#$%&*+^_{|}~-][\\p{L}\\p{N}.!#$%&'*+^_`{|}~-]{0,63}";
// At most 63 characters a label (RFC 1035, 2.3.4).
const DOMAIN = '(?:[\\p{L}\\p{N}-]{1,63}\\.){0,8}\\p{L}[\\p{L}\\p{N}-]{0,62}';

const URL_LOGIN = /(?<=:\/\/)[^\s/@]+(?=@)/gu;
const BEARER = /\bBearer\s{1,8}[\w.~+/-]{16,}=*/giu;
// Any text that begins like a JWT is taken for one: to look for its end first takes quadratic time on hostile text.
const JWT = /\beyJ[\w-]{6,}(?:\.[\w-]*){0,4}/gu;
/** The tokens that src/ports/code-crypto.ts derives. */
const OWN_TOKEN = new RegExp(`${UUID}\\.[\\w-]{43}`, 'giu');
/** A build's file that was set aside, or is being built, looks like an address: `read-models.db.lists@2.1.damaged`. */
const FILE_OF_BUILD = '\\d{1,9}\\.\\d{1,9}\\.(?:damaged|building-)';
const MAIL = new RegExp(
  `(?:"[^"\\n]{1,64}"|${LOCAL})(?:@|%40)(?!${FILE_OF_BUILD})(?:${DOMAIN}|\\[[^\\]\\s]{1,64}\\])`,
  'giu',
);

/** A place in the event log, where six digits are no code. UUIDs and timestamps hold no six digits that stand alone. */
const PLACE = '\\b(?:position|revision|checkpoint|lag)s?\\W{1,3}\\d+';
/** Separators between digits, where no date or UUID begins. */
const GAP = `[ ().-]{1,3}(?!${DATE}|${UUID})(?=\\d{1,8}(?![\\dA-Za-z:]))`;
const INTERNATIONAL = `(?:\\+|%2B)[1-9](?:(?:${GAP})?\\d){6,14}(?!\\d)`;
const NATIONAL = '(?<![\\w-])(?:1[ .-])?\\(?\\d{3}\\)?[ .-]{1,2}\\d{3}[ .-]\\d{4}(?![\\w-])';
const CODE = '(?<![A-Za-z0-9])(?<!\\d\\.)\\d{6}(?![A-Za-z0-9])(?!\\.\\d)';
const NUMBERS = new RegExp(`(${PLACE})|(${INTERNATIONAL}|${NATIONAL})|${CODE}`, 'giu');

/** A stack with its causes fits. */
const MAX_TEXT = 8_192;
/** The cut may halve a secret, which no expression then recognizes: so many characters before it go too. */
const CUT_THROUGH = 256;

const scrubWhole = (text: string, withCodes: boolean): string =>
  text
    .replace(URL_LOGIN, '[login]')
    .replace(BEARER, '[token]')
    .replace(JWT, '[token]')
    .replace(OWN_TOKEN, '[token]')
    .replace(MAIL, '[mail]')
    .replace(NUMBERS, (found: string, place: string | undefined, phone: string | undefined) => {
      if (place !== undefined) return place;
      if (phone !== undefined) return '[phone]';
      return withCodes ? '[code]' : found;
    });

/**
 * The text without phone numbers, mail addresses, tokens, logins of URLs, and (`withCodes`) six-digit codes. Of a text
 * of over 8,192 characters only the beginning is kept. The time grows linearly with the length: no expression looks far
 * for what it does not find.
 */
export const scrubText = (text: string, withCodes = true): string =>
  text.length <= MAX_TEXT
    ? scrubWhole(text, withCodes)
    : `${scrubWhole(text.slice(0, MAX_TEXT), withCodes).slice(0, -CUT_THROUGH)}…`;

const isSecret = (name: string, value: unknown): boolean => {
  const plain = name.toLowerCase().replace(/[-_]/g, '');
  if (plain === 'code') return !(typeof value === 'string' && FAILURE_CODE.test(value));
  return SECRET_NAME.test(plain);
};

const scrub = (value: unknown, name: string): unknown => {
  if (value === null || typeof value === 'boolean') return value;
  if (isSecret(name, value)) return REDACTED;
  if (typeof value === 'string') return scrubText(value, !HOLDS_NO_CODE.test(name));
  if (Array.isArray(value)) return value.map((entry: unknown) => scrub(entry, name));
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, scrub(inner, member)]));
  return value;
};

/** Allows between letters what `isSecret` takes out of names. */
const spaced = (names: string): string => names.replaceAll(/(?<=\w)(?=\w)/g, '[-_]*');
/**
 * One of them matches every line that scrubbing would change, and few other lines. Escaped and non-ASCII text is always
 * looked at in full. Three expressions take half the time of one.
 */
const SUSPECTS = [
  /[\\@+\x80-\uffff]|%40|%2B|:\/\/|earer|eyJ|\.[\w-]{43}/i,
  // A name is matched from its closing quotation mark.
  new RegExp(`"(?<=(?:${spaced(`${NAMES}|code`)})[-_]*")`, 'i'),
  new RegExp(`${NATIONAL}|${CODE}`),
];

/** A line of the application log, scrubbed. */
export const scrubLine = (line: string): string => {
  if (!SUSPECTS.some((suspect) => suspect.test(line))) return line;
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch {
    return `${scrubText(line.trimEnd())}\n`;
  }
  return `${JSON.stringify(scrub(entry, ''))}\n`;
};
