import { Ajv2020, type ErrorObject, type ValidateFunction } from './ajv.ts';
import type { Static, TSchema } from './typebox.ts';
import { PERSONAL_KEYWORD } from './schema.ts';

const ajv = new Ajv2020({
  // It costs nothing for a valid value.
  allErrors: true,
  verbose: true,
  strict: true,
  strictTypes: false,
  allowUnionTypes: true,
  // A test checks the schemas against their meta-schema, which takes a starting thread long to compile.
  validateSchema: false,
  // Optimized code is no faster here, and takes half of the time that a starting thread needs to compile.
  code: { optimize: false },
  // For generated clients only: patterns, bounds and the code that reads a time decide what is valid.
  formats: { 'date-time': true, int32: true },
  keywords: ['says', PERSONAL_KEYWORD],
});

const LONGEST_NAME = 60;
const shorten = (name: string) => (name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name);

/** The words of an enum, which may hold null as well. */
const wordsIn = (values: unknown): string[] =>
  Array.isArray(values) ? values.filter((value) => typeof value === 'string') : [];

const TYPES: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'true or false',
  integer: 'an integer',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

const counted = (limit: unknown, one: string, many: string): string => `${String(limit)} ${limit === 1 ? one : many}`;

/** What is wrong, in words of our own for clients, since those of the validator may change. */
const faultOf = ({ keyword, params, schema, parentSchema }: ErrorObject): string => {
  const { limit, additionalProperty }: Record<string, unknown> = params;
  switch (keyword) {
    case 'additionalProperties':
      return `must not have the member '${shorten(String(additionalProperty))}'`;
    case 'const':
      return `must be ${JSON.stringify(schema)}`;
    case 'enum':
      return `must be one of ${wordsIn(schema).join(', ')}`;
    case 'maximum':
      return `must be <= ${String(limit)}`;
    case 'maxItems':
      return `must have at most ${counted(limit, 'entry', 'entries')}`;
    case 'maxLength':
      return `must have at most ${counted(limit, 'character', 'characters')}`;
    case 'minimum':
      return `must be >= ${String(limit)}`;
    case 'minItems':
      return `must have at least ${counted(limit, 'entry', 'entries')}`;
    case 'minLength':
      return `must have at least ${counted(limit, 'character', 'characters')}`;
    case 'pattern': {
      const says: unknown = parentSchema?.['says'];
      return typeof says === 'string' ? says : 'does not have the required form';
    }
    case 'required':
      return 'is required';
    case 'type':
      return `must be ${[schema]
        .flat()
        .map((type) => TYPES[String(type)])
        .join(' or ')}`;
    case 'uniqueItems':
      return 'must not hold the same entry twice';
    default:
      return 'is not valid';
  }
};

interface Fault {
  /** Where it is in the value, as `/address/0/city`. */
  readonly place: string;
  /** A JSON pointer to the schema of the member, or, for an unknown member, of the object that it is in. */
  readonly field: string;
  readonly message: string;
}

const toFault = (error: ErrorObject): Fault => {
  // The validator reports a missing member at its parent.
  const missing = error.keyword === 'required' ? String(error.params['missingProperty']) : undefined;
  const schema = error.schemaPath.slice(1, error.schemaPath.lastIndexOf('/'));
  return {
    place: missing === undefined ? error.instancePath : `${error.instancePath}/${missing}`,
    field: missing === undefined ? schema : `${schema}/properties/${missing}`,
    message: faultOf(error),
  };
};

/** The most faults that a message names. */
const MAX_FAULTS = 5;

/** The first fault of each value, and every unknown member. */
const firstFaults = (errors: readonly ErrorObject[]): readonly Fault[] => {
  const faults = new Map<string, Fault>();
  for (const error of errors) {
    if (faults.size === MAX_FAULTS) break;
    const fault = toFault(error);
    const key = error.keyword === 'additionalProperties' ? fault.place + fault.message : fault.place;
    if (!faults.has(key)) faults.set(key, fault);
  }
  return [...faults.values()];
};

export type Validator<T> = (value: unknown) =>
  | { readonly ok: true; readonly value: T }
  /** `field`: a JSON pointer into the schema, to where the first fault is. */
  | { readonly ok: false; readonly message: string; readonly field: string };

/** A check against a schema; `where` names the value in a message, as `body` in `body/postingId is required`. */
export const createValidator = <S extends TSchema>(schema: S, where: string): Validator<Static<S>> => {
  let validate: ValidateFunction<Static<S>> | undefined;
  return (value) => {
    validate ??= ajv.compile<Static<S>>(schema);
    if (validate(value)) return { ok: true, value };
    const faults = firstFaults(validate.errors ?? []);
    const message = faults.map((fault) => `${where}${fault.place} ${fault.message}`).join('; ');
    return { ok: false, message, field: faults[0]?.field ?? '' };
  };
};
