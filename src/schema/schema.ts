import { Type, type TProperties, type TSchema, type Static } from './typebox.ts';

/**
 * Building blocks of all schemas, so that each bound is written once. `says` replaces the validator's message where a
 * pattern would explain nothing to a client.
 */

/** Without C0 (but tab, LF, CR), DEL, C1 and lone surrogates, which no UTF-8 text can hold. */
const PLAIN_TEXT = '^[^\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\u007F-\\u009F\\p{Cs}]*$';

/** @param options `title`: the name of its type in clients; by default one made of where it stands */
export const object = <P extends TProperties>(properties: P, options: { title?: string; description?: string } = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options });

/** A text of at most so many code points, without control characters. */
export const text = (
  maxLength = 200,
  options: { description?: string; minLength?: number; format?: 'date-time'; examples?: string[] } = {},
) =>
  Type.String({
    maxLength,
    pattern: PLAIN_TEXT,
    says: 'must not contain control characters or lone surrogates',
    ...options,
  });

/** One identifier, between whatever is before and after it. No colon: actors that are no users have one. */
const IDENTIFIER_TEXT = '(?!\\.{1,2}(?:/|$))[A-Za-z0-9._~|@+=-]{1,128}';
export const IDENTIFIER_PATTERN = `^${IDENTIFIER_TEXT}$`;
/** One identifier, or two with a slash between them. */
export const COMPOSITE_IDENTIFIER_PATTERN = `^${IDENTIFIER_TEXT}(?:/${IDENTIFIER_TEXT})?$`;
/** What an identifier is, for a message. */
export const IDENTIFIER_RULE = "1 to 128 characters out of A-Z a-z 0-9 . _ ~ | @ + = -, and not '.' or '..'";

export const Identifier = Type.String({
  pattern: IDENTIFIER_PATTERN,
  says: `must be ${IDENTIFIER_RULE}`,
  description: 'An opaque identifier.',
});

export const Timestamp = Type.String({
  format: 'date-time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
  description: 'RFC 3339, UTC, milliseconds.',
  examples: ['2026-03-01T09:30:00.000Z'],
});

/** The same schema, or null: a fact that is not known yet. */
export const nullable = <S extends TSchema>(schema: S) =>
  Type.Unsafe<Static<S> | null>(
    'enum' in schema && Array.isArray(schema.enum)
      ? { ...schema, enum: [...(schema.enum as unknown[]), null] }
      : 'type' in schema
        ? { ...schema, type: [schema.type, 'null'] }
        : { anyOf: [schema, { type: 'null' }] },
  );

/** No list of a body may be longer (decisions, Where fields come from). */
export const MAX_ENTRIES = 200;

export const list = <S extends TSchema>(items: S, maxItems = MAX_ENTRIES, options: { description?: string } = {}) =>
  Type.Array(items, { maxItems, ...options });

export const PERSONAL_KEYWORD = 'x-personal';

/**
 * Kinds of personal data. A value's mask is the same for one person and kind; some are withheld (`hasWithheldKind`).
 */
type PersonalKind =
  | 'firstName'
  | 'lastName'
  | 'fullName'
  | 'contact'
  | 'picture'
  | 'numberHash'
  | 'parameters'
  | 'detail'
  | 'place'
  | 'recipient';

export interface PersonalMark {
  /** The member of the event or the row that holds the id of the person, or of what else the value belongs to. */
  readonly subject: string;
  readonly kind: PersonalKind;
}

/** Marks a member of an event or a row as personal data. */
export const personal = <S extends TSchema>(schema: S, subject: string, kind: PersonalKind): S => ({
  ...schema,
  [PERSONAL_KEYWORD]: { subject, kind } satisfies PersonalMark,
});

/** Whether a kind is never shown, not even as masks: those would tell who is near, or has shared a number. */
export const hasWithheldKind = ({ kind }: PersonalMark): boolean => kind === 'place' || kind === 'recipient';

/** What a schema is marked with; undefined for one that is not. */
export const personalMarkOf = (schema: object): PersonalMark | undefined =>
  // Only `personal` sets it.
  PERSONAL_KEYWORD in schema ? (schema[PERSONAL_KEYWORD] as PersonalMark) : undefined;

/** The number of a page of a list. */
export const PageNumber = Type.Integer({ minimum: 1, maximum: 2_147_483_647, format: 'int32', default: 1 });

export const sixDigits = Type.String({ pattern: '^[0-9]{6}$', says: 'must be six digits' });
