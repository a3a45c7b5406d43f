import { isObject } from '../../src/schema/json.ts';
import { chance, randomInteger, type Random } from '../../src/tools/seed/random.ts';
import type { SchemaObject } from './description.ts';
import { anyOf } from './draw.ts';

/** What values are drawn from. */
export interface Drawing {
  readonly random: Random;
  /** A value that a member or parameter of this name mostly has; undefined where none is known. */
  readonly named: (name: string) => unknown;
}

const TEXTS: readonly ((random: Random) => string)[] = [
  (random) => anyOf(random, ['Ann', 'Dr. Lee', 'general', 'hygienist', 'TX', '78701', 'Møller', '李', '😀', '']),
  (random) => `id-${randomInteger(random, 0, 99)}`,
  (random) => String(randomInteger(random, 100_000, 999_999)),
  (random) => `${randomInteger(random, -90, 90)}.${randomInteger(random, 0, 9_999)}`,
  (random) => anyOf(random, ['applied', 'applied,scheduled', 'hired,rejected,interviewed']),
  () => '2026-03-01T09:30:00.000Z',
];

const patterns = new Map<string, RegExp>();
const compiled = (pattern: string): RegExp => {
  const known = patterns.get(pattern) ?? new RegExp(pattern, 'u');
  patterns.set(pattern, known);
  return known;
};

const numberOr = (value: unknown, other: number): number => (typeof value === 'number' ? value : other);

/** Whether a text is one of a schema; lengths are in code points. */
const fits = (text: string, schema: SchemaObject): boolean => {
  const { length } = Array.from(text);
  const { pattern, minLength, maxLength } = schema;
  return (
    length >= numberOr(minLength, 0) &&
    length <= numberOr(maxLength, Infinity) &&
    (typeof pattern !== 'string' || compiled(pattern).test(text))
  );
};

const MAX_TRIES = 100;
const textOf = (schema: SchemaObject, { random, named }: Drawing, name: string): string => {
  const known = named(name);
  if (typeof known === 'string' && fits(known, schema) && chance(random, 0.9)) return known;
  const longest = 'x'.repeat(numberOr(schema['maxLength'], 0));
  if (chance(random, 0.02) && fits(longest, schema)) return longest;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const text = anyOf(random, TEXTS)(random);
    if (fits(text, schema)) return text;
  }
  throw new Error(`test/fuzz/values.ts knows no text for ${name || 'a schema'}: ${JSON.stringify(schema)}`);
};

const numberOf = ({ minimum, maximum, type }: SchemaObject, random: Random): number => {
  const [least, most] = [numberOr(minimum, -1_000), numberOr(maximum, 1_000)];
  if (chance(random, 0.2)) return anyOf(random, [least, most]);
  return type === 'integer' ? randomInteger(random, least, most) : least + random() * (most - least);
};

const listOf = (schema: SchemaObject, drawing: Drawing, name: string): unknown[] => {
  const [items, least] = [schema['items'], numberOr(schema['minItems'], 0)];
  if (!isObject(items)) return [];
  const most = Math.min(numberOr(schema['maxItems'], 3), least + 3);
  const values = Array.from({ length: randomInteger(drawing.random, least, most) }, () =>
    valueOf(items, drawing, name),
  );
  return schema['uniqueItems'] === true ? [...new Set(values)] : values;
};

const objectOf = (schema: SchemaObject, drawing: Drawing): Record<string, unknown> => {
  const { properties, required } = schema;
  if (!isObject(properties)) return {};
  const needed: unknown[] = Array.isArray(required) ? required : [];
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => needed.includes(name) || chance(drawing.random, 0.6))
      .map(([name, member]) => [name, isObject(member) ? valueOf(member, drawing, name) : null]),
  );
};

/**
 * A valid value of a schema, as far as the keywords that this project uses tell.
 *
 * @param name of the member or parameter
 */
export const valueOf = (schema: SchemaObject, drawing: Drawing, name = ''): unknown => {
  const { random } = drawing;
  if ('const' in schema) return schema['const'];
  for (const choices of [schema['enum'], schema['anyOf'], schema['oneOf']])
    if (Array.isArray(choices)) {
      const choice: unknown = anyOf<unknown>(random, choices);
      return choices === schema['enum'] || !isObject(choice) ? choice : valueOf(choice, drawing, name);
    }
  const types: unknown[] = [schema['type']].flat();
  if (types.includes('null') && chance(random, 0.15)) return null;
  const type = types.find((one) => one !== 'null');
  switch (type) {
    case 'string':
      return textOf(schema, drawing, name);
    case 'integer':
    case 'number':
      return numberOf({ ...schema, type }, random);
    case 'boolean':
      return chance(random, 0.5);
    case 'array':
      return listOf(schema, drawing, name);
    case 'object':
      return objectOf(schema, drawing);
    default:
      return null;
  }
};
