import { Type, type Static, type TObject, type TSchema } from './typebox.ts';
import { isObject } from './json.ts';
import { MAX_ENTRIES } from './schema.ts';
import { createValidator } from './validation.ts';

/** Deeper than any fact: what is deeper stays, and the schema refuses it. */
const MAX_DEPTH = 16;

/**
 * Drops null members at any depth: they count as left out (decisions, Where fields come from). Of lists that are
 * refused as too long one entry too many is kept, so that the check of all entries stays cheap.
 */
export const withoutNulls = (value: unknown, depth = 0): unknown => {
  if (depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES + 1).map((item) => withoutNulls(item, depth + 1));
  if (!isObject(value)) return value;
  const members = Object.entries(value);
  // Most bodies are flat without nulls, and returned as they are.
  if (members.every(([, member]) => typeof member !== 'object')) return value;
  return Object.fromEntries(
    members.flatMap(([name, member]) => (member === null ? [] : [[name, withoutNulls(member, depth + 1)]])),
  );
};

const isObjectSchema = (schema: TSchema): schema is TObject => 'properties' in schema && isObject(schema.properties);
/** Whether a value of a type fits a schema, by its keyword `type` alone. */
export const hasType = (schema: TSchema, type: string): boolean =>
  'type' in schema && (schema.type === type || (Array.isArray(schema.type) && schema.type.includes(type)));

/** The schema of a PUT's body: the fact's, with only the named members required. */
export const putBodySchemaOf = (facts: TObject, required: readonly string[]): TObject => {
  const properties = Object.entries(facts.properties).map(([name, member]) => {
    const inner = relaxed(member);
    return [name, required.includes(name) ? inner : Type.Optional(inner)] as const;
  });
  return Type.Object(Object.fromEntries(properties), { additionalProperties: false });
};

/** Within a fact, members are required that can be neither null nor a list; it is another type then. */
const relaxed = (schema: TSchema): TSchema => {
  if (isObjectSchema(schema)) {
    const members = Object.entries(schema.properties);
    const required = members.filter(([, member]) => !hasType(member, 'null') && !hasType(member, 'array'));
    return {
      ...schema,
      title: undefined,
      properties: Object.fromEntries(members.map(([name, member]) => [name, relaxed(member)])),
      required: required.map(([name]) => name),
    };
  }
  if ('items' in schema && isObject(schema.items)) return { ...schema, items: relaxed(schema.items) };
  return schema;
};

/** A PUT replaces the whole fact: members left out become null or an empty list. */
const completed = (schema: TSchema, value: unknown): unknown => {
  if (isObjectSchema(schema) && isObject(value)) {
    const given = new Map(Object.entries(value));
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, member]) => [name, completed(member, given.get(name))]),
    );
  }
  if ('items' in schema && isObject(schema.items) && Array.isArray(value)) {
    const { items } = schema;
    return value.map((item) => completed(items, item));
  }
  // JSON.stringify writes -0 as 0, so a stored fact has 0: the same fact sent again is equal to it.
  if (value !== undefined) return value === 0 ? 0 : value;
  return hasType(schema, 'array') ? [] : null;
};

/** Makes the function that turns a valid body of `putBodySchemaOf` into the whole fact. */
export const createPutBodyCompleter = <S extends TObject>(facts: S): ((body: unknown) => Static<S>) => {
  const check = createValidator(facts, 'body');
  return (body) => {
    const checked = check(completed(facts, body));
    if (!checked.ok) throw new Error(`A valid body became an invalid fact: ${checked.message}`);
    return checked.value;
  };
};
