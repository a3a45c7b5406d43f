import { InvalidArgumentError } from 'commander';
import { entityKinds, parseEntity } from '../../domain/entity.ts';
import { eventDefinitions } from '../../domain/index.ts';
import { parseDayOrTimestamp } from '../../schema/timestamp.ts';
import { parseMoment } from '../../history/moment/moment.ts';
import { parsePersonalDataReason } from '../../history/operations/personal-data-act.ts';
import { historyReadModels } from '../../history/moment/history-read-models.ts';
import { errorMessageOf } from '../../lib/error.ts';
import { sortBySimilarity } from '../../lib/sort-by-similarity.ts';
import { isTimeZone } from '../../lib/time-zone.ts';
import { IDENTIFIER_PATTERN, IDENTIFIER_RULE } from '../../schema/schema.ts';
import { CliError } from './cli-error.ts';

/** Readers of option values. Each throws InvalidArgumentError, which says what is allowed. */

const parsable =
  (parse: (text: string, place: string) => unknown) =>
  (text: string): string => {
    try {
      parse(text, 'It');
    } catch (error) {
      throw new InvalidArgumentError(`${errorMessageOf(error)}.`);
    }
    return text;
  };

/** How many words are named as the nearest to an unknown one, and how many as all that there are. */
const [NEAREST, FEW] = [3, 10];

/**
 * Reads one of some words.
 *
 * @throws CliError for another one: what is asked about is not there
 */
const oneOf =
  <T extends string>(what: string, words: readonly T[]) =>
  (text: string): T => {
    const found = words.find((each) => each === text);
    if (found !== undefined) return found;
    const known =
      words.length > FEW
        ? `the nearest are ${sortBySimilarity(text, words).slice(0, NEAREST).join(', ')}`
        : `there are ${words.join(', ')}`;
    throw new CliError(`There is no ${what} ${text}; ${known}`, 1);
  };

/** Why something is done, for the audit. */
export const parseReason = (text: string): string => parsable(parsePersonalDataReason)(text).trim();

const numberOf = (pattern: RegExp, what: string) => (least: number, most: number) => (text: string) => {
  const value = Number(text);
  if (!pattern.test(text) || value < least || value > most)
    throw new InvalidArgumentError(`It must be ${what} from ${least} to ${most}.`);
  return value;
};
export const integerParser = numberOf(/^\d+$/, 'an integer');
export const hoursParser = numberOf(/^\d+(?:\.\d+)?$/, 'a number of hours');

const matching = (pattern: RegExp, rule: string) => (text: string) => {
  if (!pattern.test(text)) throw new InvalidArgumentError(`It must be ${rule}.`);
  return text;
};
export const parseIdentifier = matching(new RegExp(IDENTIFIER_PATTERN), IDENTIFIER_RULE);

/** A day stands for its first moment, in UTC. Gives RFC 3339 in UTC with milliseconds. */
export const parseInstant = (text: string) => {
  try {
    return parseDayOrTimestamp(text, 'It');
  } catch {
    throw new InvalidArgumentError('It must be a day or an RFC 3339 time, like 2026-03-01 or 2026-03-01T09:30:00Z.');
  }
};

/** A day or a time as it was written: a day is one of the place whose time zone is asked for. */
export const checkDayOrTime = (text: string): string => {
  parseInstant(text);
  return text;
};

/** A time zone of the IANA database. */
export const parseTimeZone = (text: string): string => {
  if (isTimeZone(text)) return text;
  throw new InvalidArgumentError('It must be a time zone, like America/Denver or UTC.');
};

/** The name of a read model that is shown as of a moment. */
export const parseHistoryReadModelName = oneOf(
  'read model',
  historyReadModels.map(({ name }) => name),
);

/** A moment of the event log, as it is written. */
export const parseMomentText = parsable(parseMoment);

/** Of an option that may be given several times: the values so far, and one more. */
export const collectValues = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

const knownType = oneOf(
  'type of events',
  eventDefinitions.map(({ type }) => type),
);

/** A type of events that this code knows. */
export const collectEventTypes = (text: string, before?: readonly string[]): readonly string[] =>
  collectValues(knownType(text), before);

export const parseEntityKind = oneOf('kind of entity', entityKinds);

/** The id of a person, after the kind or by itself. */
export const parsePersonId = (text: string): string => {
  parseIdentifier(text.replace(/^(?:professional|user):/, ''));
  return text;
};

/** An entity as `<kind>:<id>`. */
export const parseEntityText = (text: string): string => {
  const [kind, id] = text.split(':', 2);
  if (kind && id) parseEntityKind(kind);
  return parsable(parseEntity)(text);
};

export const parseActor = matching(/^.{1,200}$/u, '1 to 200 characters');

export const parseLogPosition = matching(/^\d{1,40}(?:\/\d{1,40})?$/, 'a position, as answers tell it');

/** Names with commas between, each once. */
export const parseNames = (text: string): readonly string[] => {
  const found = text.split(',').map((name) => name.trim());
  if (found.includes('') || new Set(found).size < found.length)
    throw new InvalidArgumentError('It must be names with commas between, each once.');
  return found;
};
