import { createHmac, createSecretKey } from 'node:crypto';
import { memoizeByIdentity } from '../../lib/memoize-by-identity.ts';
import { canonicalJson, isObject, type Json, type JsonObject } from '../../schema/json.ts';
import { hasWithheldKind, personalMarkOf, type PersonalMark } from '../../schema/schema.ts';

/** How an answer, a copy or an export shows personal data. */
export interface MaskIdentity {
  readonly isMasked: boolean;
  /** Tells the scheme of masks, and masks of one secret from those of another; says nothing of the secret. */
  readonly maskId: string;
}

/** The user whom the profile of a professional names, at the position that is shown. */
export type UserIdLookup = (professionalId: string) => string | undefined;

/** Shows objects whose schema marks members as personal. */
export interface Mask extends MaskIdentity {
  /** Puts masks in the place of these members, and null in that of those that are withheld. */
  readonly show: (schema: unknown, value: JsonObject, userOf?: UserIdLookup) => JsonObject;
  /** The members that are withheld from such objects, whatever they hold. */
  readonly withheldFrom: (schema: unknown) => readonly string[];
}

/** Raised when the same value gets another mask, or what is withheld changes: copies and exports are made anew. */
const MASK_VERSION = 3;
const NONE = 'none';
/** Hexadecimal digits: two values of one person will not share a mask. */
const DIGITS = 16;

/** Whether two ids are of masks of different schemes; personal data has none. */
export const differInMaskVersion = (one: string, other: string): boolean =>
  one !== NONE && other !== NONE && one.split('-')[0] !== other.split('-')[0];

/** What stands in the place of a personal value that is known. */
type Digest = (mark: PersonalMark, value: Json) => Json;
/** Masks the values of one schema. */
interface Masker {
  readonly show: (value: Json, digest: Digest) => Json;
  /** The members that are withheld, as `commute.drive.eta`; the value itself is `''`. */
  readonly withheld: readonly string[];
}

/** Undefined for a schema without personal members, as most are: its values are shown as they are. */
const maskerOf = (schema: unknown): Masker | undefined => {
  if (!isObject(schema)) return undefined;
  const mark = personalMarkOf(schema);
  if (mark && hasWithheldKind(mark)) return { show: () => null, withheld: [''] };
  if (mark) return { show: (value, digest) => (value === null ? null : digest(mark, value)), withheld: [] };
  const { properties, items, anyOf } = schema;
  const ofItems = maskerOf(items);
  const ofMembers = Object.entries(isObject(properties) ? properties : {}).flatMap(([name, each]) => {
    const masker = maskerOf(each);
    return masker ? [[name, masker] as const] : [];
  });
  const alternatives = (Array.isArray(anyOf) ? (anyOf as readonly unknown[]) : []).flatMap(
    (each) => maskerOf(each) ?? [],
  );
  if (!ofItems && ofMembers.length === 0 && alternatives.length === 0) return undefined;
  const withheld = [
    ...ofMembers.flatMap(([name, masker]) => masker.withheld.map((path) => (path === '' ? name : `${name}.${path}`))),
    ...[ofItems ?? [], alternatives].flat().flatMap((masker) => masker.withheld),
  ];
  const show: Masker['show'] = (value, digest) => {
    if (Array.isArray(value)) {
      const list = value as readonly Json[];
      return ofItems ? list.map((each) => ofItems.show(each, digest)) : list;
    }
    if (isObject(value) && isObject(properties)) {
      const shown: Record<string, Json> = { ...(value as Readonly<Record<string, Json>>) };
      for (const [name, masker] of ofMembers)
        if (Object.hasOwn(shown, name)) shown[name] = masker.show(shown[name] ?? null, digest);
      return shown;
    }
    return alternatives.reduce((before, masker) => masker.show(before, digest), value);
  };
  return { show, withheld };
};
const memoized = memoizeByIdentity<object, Masker | undefined>(maskerOf);
const knownMaskerOf = (schema: unknown): Masker | undefined => (isObject(schema) ? memoized(schema) : undefined);

/** Whether values of a schema are shown otherwise where masks are, as a whole or in part. */
export const containsPersonalData = (schema: unknown): boolean => knownMaskerOf(schema) !== undefined;

/** The members that are withheld where masks are shown, as `commute.drive.eta`; those of the entries of lists, too. */
export const withheldMembers = (schema: unknown): readonly string[] => knownMaskerOf(schema)?.withheld ?? [];

/**
 * Whose a member is. A user and the professional whose profile names the user are one person. A professional without a
 * known profile, and what belongs to no known person, such as an act, have ids of their own.
 */
const ownerOf = (subject: string, holder: JsonObject, userOf: UserIdLookup): string | undefined => {
  const id = holder[subject];
  if (typeof id !== 'string') return undefined;
  const user = subject === 'professionalId' ? userOf(id) : undefined;
  return user === undefined ? `${subject}/${id}` : `userId/${user}`;
};

/** Shows personal members as they are. */
export const noMask: Mask = { isMasked: false, maskId: NONE, show: (_schema, value) => value, withheldFrom: () => [] };

/**
 * Masks that are the same for the same value of one kind and one person alone: who knows the masks of some values, as
 * of their own, learns nothing of anybody else. They cannot be found by trying values without the secret. Null stays
 * null.
 *
 * @param secret undefined: personal members are shown as they are
 */
export const maskBy = (secret: string | undefined): Mask => {
  if (secret === undefined) return noMask;
  const key = createSecretKey(Buffer.from(secret));
  // No id, kind or text of JSON holds a line feed.
  const digitsOf = (...texts: readonly string[]): string =>
    createHmac('sha256', key)
      .update([`history ${MASK_VERSION}`, ...texts].join('\n'))
      .digest('hex')
      .slice(0, DIGITS);
  return {
    isMasked: true,
    maskId: `${MASK_VERSION}-${digitsOf()}`,
    withheldFrom: withheldMembers,
    show(schema, value, userOf = () => undefined) {
      const masker = knownMaskerOf(schema);
      if (!masker) return value;
      const shown = masker.show(value, ({ subject, kind }, member) => {
        const owner = ownerOf(subject, value, userOf);
        // A mask that is the same for everyone can be read backwards.
        return owner === undefined ? null : `masked-${digitsOf(owner, kind, canonicalJson(member))}`;
      });
      if (!isObject(shown)) throw new Error('An object as a whole is no personal member');
      return shown;
    },
  };
};
