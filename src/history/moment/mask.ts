import { createHmac } from 'node:crypto';
import { canonicalJson, isObject, type Json } from '../../schema/json.ts';
import { PERSONAL } from '../../schema/schema.ts';

/** Puts masks in the place of the members that a schema marks as personal. */
export type Mask = (schema: unknown, value: Json) => Json;

/** Hexadecimal digits: two values of one event log will not share a mask. */
const DIGITS = 16;

type Masked = (value: Json) => Json;

const alternativesIn = (schema: Readonly<Record<string, unknown>>): readonly unknown[] =>
  Array.isArray(schema['anyOf']) ? (schema['anyOf'] as readonly unknown[]) : [];

const findPersonal = (schema: unknown): boolean => {
  if (Array.isArray(schema)) return (schema as readonly unknown[]).some(findPersonal);
  return isObject(schema) && (schema[PERSONAL] !== undefined || Object.values(schema).some(findPersonal));
};

/** Whether schemas have personal members anywhere: most have none, and their values need no look. */
const known = new WeakMap<object, boolean>();
const holdsPersonal = (schema: object): boolean => {
  let holds = known.get(schema);
  if (holds === undefined) known.set(schema, (holds = findPersonal(schema)));
  return holds;
};

const masking = (schema: unknown, value: Json, masked: Masked): Json => {
  if (!isObject(schema) || value === null || !holdsPersonal(schema)) return value;
  if (schema[PERSONAL] !== undefined) return masked(value);
  const { properties, items } = schema;
  if (Array.isArray(value)) return (value as readonly Json[]).map((each) => masking(items, each, masked));
  if (isObject(value) && isObject(properties))
    return Object.fromEntries(
      Object.entries(value as Readonly<Record<string, Json>>).map(([name, each]) => [
        name,
        masking(Object.hasOwn(properties, name) ? properties[name] : undefined, each, masked),
      ]),
    );
  return alternativesIn(schema).reduce<Json>((before, each) => masking(each, before, masked), value);
};

/**
 * Masks that are the same for the same value, so that joins and counts stay right, and that cannot be found by trying
 * values without the secret. Null stays null.
 */
export const maskBy = (secret: string): Mask => {
  const masked: Masked = (value) => {
    const digest = createHmac('sha256', secret)
      .update(`history ${canonicalJson(value)}`)
      .digest('hex');
    return `masked-${digest.slice(0, DIGITS)}`;
  };
  return (schema, value) => masking(schema, value, masked);
};

/** Shows personal members as they are. */
export const noMask: Mask = (_schema, value) => value;
