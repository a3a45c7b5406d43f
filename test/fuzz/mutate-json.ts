import { isObject } from '../../src/schema/json.ts';
import type { Random } from '../../src/tools/seed/random.ts';
import type { SchemaObject } from './description.ts';
import { anyOf } from './draw.ts';
import { HOSTILE_TEXTS, HOSTILE_VALUES } from './hostile.ts';
import { rawJson } from './request.ts';

type Path = readonly (string | number)[];

/** A place in a body, with its schema where the description has one. */
interface Place {
  readonly path: Path;
  readonly schema: SchemaObject;
}

const orEmpty = (value: unknown): SchemaObject => (isObject(value) ? value : {});

const placesOf = (value: unknown, schema: SchemaObject, path: Path = []): Place[] => {
  const inner = Array.isArray(value)
    ? value.flatMap((item, index) => placesOf(item, orEmpty(schema['items']), [...path, index]))
    : isObject(value)
      ? Object.entries(value).flatMap(([name, member]) =>
          placesOf(member, orEmpty(orEmpty(schema['properties'])[name]), [...path, name]),
        )
      : [];
  return [{ path, schema }, ...inner];
};

/** The value with what `change` makes of the value at a place; undefined leaves it out. */
const changedAt = (value: unknown, [first, ...rest]: Path, change: (old: unknown) => unknown): unknown => {
  if (first === undefined) return change(value);
  const within = (member: unknown) => changedAt(member, rest, change);
  if (Array.isArray(value)) return value.map((item: unknown, index) => (index === first ? within(item) : item));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, name === first ? within(member) : member]),
  );
};

const SHORT_OF_LIMIT = 25_000;
const filled = (length: number): string => 'é'.repeat(Math.min(length, SHORT_OF_LIMIT));

/** Values just within and just beyond the bounds of a schema. */
const aroundBounds = ({ minLength, maxLength, minimum, maximum, maxItems, uniqueItems }: SchemaObject): unknown[] => [
  ...(typeof minLength === 'number' ? [filled(minLength - 1)] : []),
  ...(typeof maxLength === 'number' ? [filled(maxLength), filled(maxLength + 1), '😀'.repeat(maxLength)] : []),
  ...(typeof minimum === 'number' ? [minimum, minimum - 1, minimum - 1e-9, rawJson(`${minimum}.0`)] : []),
  ...(typeof maximum === 'number' ? [maximum, maximum + 1, maximum + 1e-9, rawJson(`${maximum}e0`)] : []),
  ...(typeof maxItems === 'number' ? [Array.from({ length: maxItems + 1 }, (_, index) => `x${index}`)] : []),
  ...(uniqueItems === true ? [['x', 'x']] : []),
];

type Change = (old: unknown, schema: SchemaObject, random: Random) => unknown;
const changes: readonly Change[] = [
  () => undefined,
  () => null,
  (_, __, random) => anyOf(random, HOSTILE_VALUES),
  (_, __, random) => anyOf(random, HOSTILE_TEXTS),
  (old, schema, random) => anyOf(random, [old, ...aroundBounds(schema)]),
  (old, schema, random) => anyOf(random, [old, ...aroundBounds(schema)]),
  (old) => [old],
  (old) => [old, old],
  (old) => ({ value: old }),
  (old) => (typeof old === 'string' ? old.toUpperCase() : String(old)),
  (old) => (typeof old === 'number' ? String(old) : 7),
  (old, _, random) => (typeof old === 'string' ? old + anyOf(random, HOSTILE_TEXTS) : old),
  (old) => (Array.isArray(old) ? [...(old as unknown[]), ...(old as unknown[])] : old),
  (old, _, random) => (isObject(old) ? { ...old, [anyOf(random, HOSTILE_TEXTS)]: anyOf(random, HOSTILE_VALUES) } : old),
  // The same member twice, and one that a program may take for the prototype.
  (old) => rawJson(`${JSON.stringify(old)},"__proto__":{"isAdmin":true}`),
  (old) => (isObject(old) ? { ...old, ...Object.fromEntries([['extra', rawJson('1,"extra":2')]]) } : old),
];

/** A body with one place changed: left out, of another type, at a bound, or hostile. */
export const mutateJson = (value: unknown, schema: SchemaObject, random: Random): unknown => {
  const { path, schema: at } = anyOf(random, placesOf(value, schema));
  const change = anyOf(random, changes);
  return changedAt(value, path, (old) => change(old, at, random)) ?? {};
};
