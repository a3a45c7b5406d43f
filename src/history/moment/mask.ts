import { createHmac, createSecretKey } from 'node:crypto';
import { memoize } from '../../lib/memoize.ts';
import { canonicalJson, isObject, type Json, type JsonObject } from '../../schema/json.ts';
import { PERSONAL } from '../../schema/schema.ts';

/** Puts masks in the place of the members that a schema marks as personal. */
export type Mask = (schema: unknown, value: Json) => Json;

/** Hexadecimal digits: two values of one event log will not share a mask. */
const DIGITS = 16;

/** What stands in the place of a personal value. */
type Digest = (value: Json) => Json;
/** Masks the values of one schema. */
type Masker = (value: Json, digest: Digest) => Json;

/** Undefined for a schema without personal members, whose values need no look: most have none. */
const maskerOf = (schema: unknown): Masker | undefined => {
  if (!isObject(schema)) return undefined;
  if (schema[PERSONAL] !== undefined) return (value, digest) => (value === null ? null : digest(value));
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
  return (value, digest) => {
    if (Array.isArray(value)) {
      const list = value as readonly Json[];
      return ofItems ? list.map((each) => ofItems(each, digest)) : list;
    }
    if (isObject(value) && isObject(properties)) {
      const shown: Record<string, Json> = { ...(value as Readonly<Record<string, Json>>) };
      for (const [name, masker] of ofMembers)
        if (Object.hasOwn(shown, name)) shown[name] = masker(shown[name] ?? null, digest);
      return shown;
    }
    return alternatives.reduce((before, masker) => masker(before, digest), value);
  };
};

const knownMaskerOf = memoize<object, Masker | undefined>(maskerOf);
const maskedBy = (schema: unknown, value: Json, digest: Digest): Json => {
  const masker = isObject(schema) ? knownMaskerOf(schema) : undefined;
  return masker ? masker(value, digest) : value;
};

/**
 * Masks that are the same for the same value, so that joins and counts stay right, and that cannot be found by trying
 * values without the secret. Null stays null.
 */
export const maskBy = (secret: string): Mask => {
  const key = createSecretKey(Buffer.from(secret));
  const digest: Digest = (value) => {
    const digits = createHmac('sha256', key)
      .update(`history ${canonicalJson(value)}`)
      .digest('hex');
    return `masked-${digits.slice(0, DIGITS)}`;
  };
  return (schema, value) => maskedBy(schema, value, digest);
};

/** Shows personal members as they are. */
export const noMask: Mask = (_schema, value) => value;

/** An object without its personal members, which stays an object. */
export const maskedObject = (mask: Mask, schema: unknown, value: JsonObject): JsonObject => {
  const shown = mask(schema, value);
  if (!isObject(shown)) throw new Error('An object as a whole is no personal member');
  return shown;
};
